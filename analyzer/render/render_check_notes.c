/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A check for those who look at a change: a page in Markdown, and notes at lines of the source. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/render/check_text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_check.h"
#include "analyzer/report/check_place.h"

/* --- Markdown */

/* As plain text: no markup, no HTML, and no end of a table's cell. */
static void put_plain(FILE *out, const char *text)
{
	json_t *valid = json_value_text(text);

	for (const char *at = json_string_value(valid); *at; at++) {
		const unsigned char c = (unsigned char)*at;

		if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (strchr("\\`*_{}[]|#~", c))
			fprintf(out, "\\%c", c);
		else
			putc(c < 0x20 ? ' ' : c, out);
	}
	json_decref(valid);
}

static void put_cell(FILE *out, char *text)
{
	fputs("| ", out);
	put_plain(out, text);
	putc(' ', out);
	free(text);
}

static void put_table(FILE *out, const struct check *check)
{
	fputs("\n| | limit | actual | bound | margin |\n| --- | --- | ---: | --- | ---: |\n", out);
	for (size_t i = 0; i < check->rows; i++) {
		const struct check_row *row = &check->row[i];
		const bool is_there = row->state != CHECK_NOT_AVAILABLE;

		fprintf(out, "| %s ",
			row->state == CHECK_WITHIN     ? "✅"
			: row->state == CHECK_EXCEEDED ? "❌"
						       : "❔");
		put_cell(out, limit_text(row->limit));
		put_cell(out, is_there ? check_text_figure(row->actual) : xstrdup(row->why));
		put_cell(out,
			 is_there ? check_text_bound(row) : xstrdup(limit_bound_name(row->bound)));
		put_cell(out, is_there ? check_text_figure(row->margin) : xstrdup("-"));
		fputs("|\n", out);
	}
}

/* In a block of text indented by four nothing is markup. */
static void put_stacks(FILE *out, const struct check_row *row)
{
	char *text = check_text_row(row);

	fputs("\n<details><summary>", out);
	put_plain(out, text);
	fputs("</summary>\n\n", out);
	free(text);
	for (size_t i = 0; i < row->stacks.count; i++) {
		const struct check_stack *stack = &row->stacks.stack[i];

		text = check_text_stack(&row->stacks, stack);
		fprintf(out, "    %s\n", text);
		free(text);
		for (size_t j = 0; j < stack->frames; j++) {
			json_t *name = json_value_text(stack->frame[j].function);
			const char *slash = strrchr(stack->frame[j].file, '/');

			fprintf(out, "      %s", json_string_value(name));
			if (stack->frame[j].line)
				fprintf(out, "  %s:%" PRIu32,
					slash ? slash + 1 : stack->frame[j].file,
					stack->frame[j].line);
			putc('\n', out);
			json_decref(name);
		}
	}
	fputs("\n</details>\n", out);
}

static void put_moved(FILE *out, const struct check_baseline *baseline)
{
	if (!baseline->moves)
		return;
	fputs("\nMoved against ", out);
	put_plain(out, baseline->path);
	fputs(":\n\n| figure | old | new | |\n| --- | ---: | ---: | --- |\n", out);
	for (size_t i = 0; i < baseline->moves; i++) {
		const struct check_moved *moved = &baseline->moved[i];

		put_cell(out, xstrdup(moved->name));
		put_cell(out, xstrdup(number_count(moved->before).text));
		put_cell(out, xstrdup(number_count(moved->after).text));
		fprintf(out, "| %s |\n", moved->is_limited ? "" : "in no limit");
	}
}

static void put_items(FILE *out, const char *head, const struct warnings *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		fprintf(out, "%s- %s", i ? "" : "\n", head);
		put_plain(out, lines->text[i]);
		putc('\n', out);
	}
}

void render_check_markdown(FILE *out, const struct check_view *view)
{
	fprintf(out, "## Allocation budget: %s\n", check_verdict_text(view->verdict));
	for (size_t i = 0; i < view->checks; i++) {
		const struct check *check = &view->check[i];

		fputs("\n### ", out);
		put_plain(out, check->path);
		fprintf(out, ": %s\n", check_verdict_text(check->verdict));
		put_items(out, "not comparable: ", &check->reasons);
		put_table(out, check);
		for (size_t j = 0; j < check->rows; j++)
			if (check->row[j].state == CHECK_EXCEEDED)
				put_stacks(out, &check->row[j]);
		for (size_t j = 0; j < check->baselines; j++)
			put_moved(out, &check->baseline[j]);
		put_items(out, "warning: ", &check->warnings);
	}
}

/* --- GitHub */

/* What would end a message, or a property of one, is %XX. */
static void put_escaped(FILE *out, const char *text, bool is_property)
{
	for (const char *at = text; *at; at++) {
		const unsigned char c = (unsigned char)*at;

		if (c == '%' || c < 0x20 || (is_property && (c == ':' || c == ',')))
			fprintf(out, "%%%02X", c);
		else
			putc(c, out);
	}
}

/* place: NULL: none. */
static void put_command(FILE *out, const char *kind, const struct check_place *place,
			const char *title, const char *text)
{
	fprintf(out, "::%s ", kind);
	if (place && place->file) {
		fputs("file=", out);
		put_escaped(out, place->file, true);
		fprintf(out, ",line=%" PRIu32 ",", place->line);
	}
	fputs("title=", out);
	put_escaped(out, title, true);
	fputs("::", out);
	put_escaped(out, text, false);
	putc('\n', out);
}

/* At each stack that has a line. */
static void put_row_commands(FILE *out, const struct check_view *view, const struct check_row *row)
{
	char *text = check_text_row(row);
	bool has_place = false;

	for (size_t i = 0; i < row->stacks.count; i++) {
		const struct check_stack *stack = &row->stacks.stack[i];
		struct check_place place = check_place_of(stack, view->root);
		char *step = check_text_stack(&row->stacks, stack);
		char *message = xasprintf("%s; here %s", text, step);

		if (place.file)
			put_command(out, "error", &place, "allocation budget", message);
		has_place |= place.file != NULL;
		free(place.file);
		free(step);
		free(message);
	}
	if (!has_place)
		put_command(out, "error", NULL, "allocation budget", text);
	free(text);
}

void render_check_github(FILE *out, const struct check_view *view)
{
	for (size_t i = 0; i < view->checks; i++) {
		const struct check *check = &view->check[i];

		for (size_t j = 0; j < check->reasons.count; j++)
			put_command(out, "error", NULL, check_verdict_text(CHECK_NOT_COMPARABLE),
				    check->reasons.text[j]);
		for (size_t j = 0; j < check->rows; j++)
			if (check->row[j].state != CHECK_WITHIN)
				put_row_commands(out, view, &check->row[j]);
		for (size_t j = 0; j < check->warnings.count; j++)
			put_command(out, "warning", NULL, "allocation budget",
				    check->warnings.text[j]);
	}
}
