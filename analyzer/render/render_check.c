/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/check_text.h"
#include "analyzer/render/render_comparable.h"
#include "analyzer/render/render_suppressed.h"
#include "analyzer/render/short_name.h"

#define LINES_MAX 40 /* of one stack */

static void put_head(FILE *out, const struct check *check, const struct render_style *style)
{
	const char *color = check->verdict == CHECK_PASS   ? "\033[1;32m"
			    : check->verdict == CHECK_FAIL ? "\033[1;31m"
							   : "\033[1;33m";

	text_put_clean(out, check->path);
	fprintf(out, ": %s%s%s; ", style->has_color ? color : "",
		check_verdict_text(check->verdict), style->has_color ? "\033[0m" : "");
	fprintf(out, "%s: ", number_of(check->rows, "limit").text);
	fprintf(out, "%zu within, %zu exceeded, %zu not available\n",
		check->rows - check->exceeded - check->not_available, check->exceeded,
		check->not_available);
}

static void put_row(FILE *out, const struct check_row *row)
{
	char *actual = check_text_figure(row->actual), *bound = check_text_bound(row),
	     *margin = check_text_figure(row->margin), *limit = limit_text(row->limit);
	const bool is_there = row->state != CHECK_NOT_AVAILABLE;

	fprintf(out, "  %-13s %16s  %-32s %16s  ",
		row->state == CHECK_EXCEEDED ? "EXCEEDED" : check_state_text(row->state),
		is_there ? actual : "-", is_there ? bound : limit_bound_name(row->bound),
		is_there ? margin : "-");
	text_put_clean(out, limit);
	if (row->why) {
		fputs(": ", out);
		text_put_clean(out, row->why);
	}
	putc('\n', out);
	free(actual);
	free(bound);
	free(margin);
	free(limit);
}

static void put_frame(FILE *out, const struct check_frame *frame, const struct render_style *style)
{
	const char *slash = strrchr(frame->file, '/');
	char *name = style->has_full_names ? NULL : short_name_build(frame->function);

	fputs("      ", out);
	text_put_clean(out, name ? name : frame->function);
	free(name);
	if (frame->line) {
		fputs("  ", out);
		text_put_clean(out, slash ? slash + 1 : frame->file);
		fprintf(out, ":%" PRIu32, frame->line);
	}
	putc('\n', out);
}

static void put_stacks(FILE *out, const struct check_row *row, const struct render_style *style)
{
	static const char *const orders[] = { "the largest change first", "the largest first",
					      "the first to allocate first" };
	const struct check_stacks *stacks = &row->stacks;
	char *text = check_text_row(row), *position = check_text_position(row);

	fprintf(out, "\n%s: ", position);
	text_put_clean(out, text);
	free(text);
	free(position);
	if (!stacks->all) {
		fputs("; it has no stacks\n", out);
		return;
	}
	fprintf(out, "\n  %s by %s", number_of(stacks->all, "stack").text, stacks->by);
	if (stacks->turns)
		fprintf(out, " in %s", number_of(stacks->turns, "turn").text);
	fprintf(out, ", %s:\n", orders[stacks->order]);
	for (size_t i = 0; i < stacks->count; i++) {
		const struct check_stack *stack = &stacks->stack[i];

		text = check_text_stack(stacks, stack);
		fprintf(out, "%3zu. %s\n", i + 1, text);
		free(text);
		for (size_t j = 0; j < stack->frames && j < LINES_MAX; j++)
			put_frame(out, &stack->frame[j], style);
		if (stack->frames > LINES_MAX)
			fputs("      ...\n", out);
	}
	if (stacks->count < stacks->all)
		fprintf(out, "     %s more (--top 0 shows all)\n",
			number_of(stacks->all - stacks->count, "stack").text);
}

static void put_baseline(FILE *out, const struct check_baseline *baseline)
{
	render_comparable_text(out, &baseline->comparable, baseline->path);
	if (!baseline->moves)
		fputs("  no figure of the whole trace has moved\n", out);
	for (size_t i = 0; i < baseline->moves; i++) {
		const struct check_moved *moved = &baseline->moved[i];

		fprintf(out, "  moved%s  %s: ", moved->is_limited ? "" : ", in no limit",
			moved->name);
		fprintf(out, "%s -> ", number_count(moved->before).text);
		fprintf(out, "%s\n", number_count(moved->after).text);
	}
}

static void put_lines(FILE *out, const char *head, const struct warnings *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		fprintf(out, "%s: ", head);
		text_put_clean(out, lines->text[i]);
		putc('\n', out);
	}
}

static void put_check(FILE *out, const struct check *check, bool has_command,
		      const struct render_style *style)
{
	put_head(out, check, style);
	if (has_command) {
		fputs("  command: ", out);
		text_put_clean(out, check->command);
		putc('\n', out);
	}
	put_lines(out, "  not comparable", &check->reasons);
	fprintf(out, "%s  %-13s %16s  %-32s %16s  limit%s\n", style->has_color ? "\033[1m" : "", "",
		"actual", "bound", "margin", style->has_color ? "\033[0m" : "");
	for (size_t i = 0; i < check->rows; i++)
		put_row(out, &check->row[i]);
	for (size_t i = 0; i < check->rows; i++)
		if (check->row[i].state == CHECK_EXCEEDED)
			put_stacks(out, &check->row[i], style);
	for (size_t i = 0; i < check->baselines; i++)
		put_baseline(out, &check->baseline[i]);
	render_suppressed_text(out, &check->suppressed, check->left, "  ");
	put_lines(out, "warning", &check->warnings);
}

void render_check_text(FILE *out, const struct check_view *view, const struct render_style *style)
{
	for (size_t i = 0; i < view->checks; i++) {
		if (i)
			putc('\n', out);
		put_check(out, &view->check[i], view->checks > 1, style);
	}
	if (view->checks > 1)
		fprintf(out, "\nall %zu traces: %s\n", view->checks,
			check_verdict_text(view->verdict));
}
