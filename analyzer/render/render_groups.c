/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_groups.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_suppressed.h"
#include "analyzer/render/stack_text.h"

/* The figures of a group; each takes two columns, itself and its share of the total. */
struct figure {
	const char *head;
	enum metric metric;
	bool is_blocks;
};

static const struct figure figures[] = {
	{ "peak bytes", METRIC_PEAK, false },     { "peak blocks", METRIC_PEAK, true },
	{ "calls", METRIC_CALLS, false },         { "bytes", METRIC_BYTES, false },
	{ "temporary", METRIC_TEMPORARY, false }, { "leaked bytes", METRIC_LEAKED, false },
	{ "leaked blocks", METRIC_LEAKED, true },
};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))
#define COLUMNS (1 + 2 * FIGURES)

struct table {
	char *(*cell)[COLUMNS]; /* texts; NULL is empty */
	size_t rows;
	size_t width[COLUMNS];
};

/* Columns on a terminal, of text in UTF-8. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xC0) != 0x80;
	return width;
}

static void set_cell(struct table *table, size_t column, char *text)
{
	const size_t width = text_width(text);

	table->cell[table->rows - 1][column] = text;
	if (table->width[column] < width)
		table->width[column] = width;
}

static void add_row(struct table *table)
{
	table->cell = xreallocarray(table->cell, ++table->rows, sizeof(*table->cell));
	memset(table->cell[table->rows - 1], 0, sizeof(*table->cell));
}

/* leaked_only: it has no other figures. */
static void add_figures(struct table *table, const char *name, const struct stack_totals *sum,
			const struct totals *totals, bool leaked_only)
{
	add_row(table);
	set_cell(table, 0, text_clean(name));
	for (size_t i = 0; i < FIGURES; i++) {
		const struct figure *f = &figures[i];
		const uint64_t value = f->is_blocks ? metric_blocks(sum, f->metric)
						    : metric_weight(sum, f->metric);
		const uint64_t total = f->is_blocks ? metric_total_blocks(totals, f->metric)
						    : metric_total(totals, f->metric);

		if (leaked_only && f->metric != METRIC_LEAKED)
			continue;
		set_cell(table, 1 + 2 * i, xstrdup(number_count(value).text));
		set_cell(table, 2 + 2 * i, xstrdup(number_percent(value, total).text));
	}
}

static void put_row(FILE *out, const struct table *table, size_t row)
{
	size_t blanks = 0; /* before the next cell that has text */

	for (size_t column = 0; column < COLUMNS; column++) {
		const char *text = table->cell[row][column];
		const size_t width = text ? text_width(text) : 0;
		const size_t left = table->width[column] - width;

		if (column)
			blanks += column % 2 ? 3 : 2;
		if (!text) {
			blanks += table->width[column];
			continue;
		}
		fprintf(out, "%*s%s", (int)(blanks + (column ? left : 0)), "", text);
		blanks = column ? 0 : left;
	}
}

static void release_table(struct table *table)
{
	for (size_t row = 0; row < table->rows; row++)
		for (size_t column = 0; column < COLUMNS; column++)
			free(table->cell[row][column]);
	free(table->cell);
}

/* Built-in sets are optional: they name much that a program does not have. */
static bool is_shown(const struct group *group)
{
	return group->stacks || !group->rule || !group->rule->is_optional;
}

static void put_table(FILE *out, const struct groups_view *view, const struct render_style *style)
{
	const struct groups *g = view->groups;
	size_t *order = groups_order(g, view->by_metric, view->metric);
	struct table table = { .cell = NULL };
	struct stack_totals sum = { .node = 0 };
	size_t left_out = 0;

	add_row(&table);
	set_cell(&table, 0, xstrdup("group"));
	for (size_t i = 0; i < FIGURES; i++)
		set_cell(&table, 1 + 2 * i, xstrdup(figures[i].head));
	for (size_t i = 0; i < g->count; i++) {
		const struct group *group = &g->group[order[i]];

		stack_totals_add(&sum, &group->sum);
		left_out += !is_shown(group);
		if (is_shown(group))
			add_figures(&table, group_name(group), &group->sum, g->totals, false);
	}
	if (g->suppressed.suppressions) {
		const struct stack_totals suppressed = { .live_bytes = g->suppressed.sum.bytes,
							 .live_blocks = g->suppressed.sum.blocks };

		stack_totals_add(&sum, &suppressed);
		add_figures(&table, "[suppressed]", &suppressed, g->totals, true);
	}
	add_figures(&table, "total", &sum, g->totals, false);
	putc('\n', out);
	for (size_t row = 0; row < table.rows; row++) {
		const bool is_bold = style->has_color && (!row || row + 1 == table.rows);

		fputs(is_bold ? "\033[1m" : "", out);
		put_row(out, &table, row);
		fputs(is_bold ? "\033[0m\n" : "\n", out);
	}
	fputs("\nPercentages are of the totals: bytes and blocks live at the peak, allocation "
	      "calls, "
	      "bytes\nrequested, temporary calls, bytes and blocks live at the end (leaked).\n",
	      out);
	if (left_out)
		fprintf(out, "%s %s not shown: nothing belongs there.\n",
			number_of(left_out, "optional group").text, number_are(left_out));
	release_table(&table);
	free(order);
}

/* What belongs to a group, frame by frame: which pattern matched where. */
struct notes {
	const struct groups_view *view;
};

static char *note_frame(void *owner, const struct frame_name *frame, bool is_leaf, bool is_root)
{
	const struct groups_view *view = owner;

	return group_match_text(view->groups, view->explained, frame, is_leaf, is_root);
}

static void put_amount(FILE *out, enum metric metric, uint64_t weight, uint64_t blocks)
{
	if (!strcmp(metric_unit(metric), "calls"))
		fputs(number_of(weight, "call").text, out);
	else if (metric == METRIC_BYTES)
		fputs(number_bytes(weight).text, out);
	else
		fprintf(out, "%s in %s", number_bytes(weight).text,
			number_of(blocks, "block").text);
}

static void put_explanation(FILE *out, const struct groups_view *view,
			    const struct render_style *style)
{
	const struct shown_list list = shown_stacks_list(view->stacks, view->metric, view->top);
	const struct shown_sum sum = shown_stacks_sum(view->stacks, view->metric);
	struct groups_view own = *view;
	const struct stack_text text = {
		.out = out, .style = style, .note = note_frame, .owner = &own
	};

	fputs("\nStacks of ", out);
	text_put_clean(out, group_name(view->explained));
	fprintf(out, " by %s: ", metric_name(view->metric));
	put_amount(out, view->metric, sum.weight, sum.blocks);
	fprintf(out, ", %s\n", number_of(list.all, "stack").text);
	for (size_t i = 0; i < list.count; i++) {
		const struct stack_totals *one = &list.stack[i]->sum;

		fprintf(out, "  %zu. ", i + 1);
		put_amount(out, view->metric, metric_weight(one, view->metric),
			   metric_blocks(one, view->metric));
		fprintf(out, ", %s of the group's\n",
			number_percent(metric_weight(one, view->metric), sum.weight).text);
		stack_text_put(&text, shown_stacks_walk(view->stacks, list.stack[i], view->metric));
	}
	if (list.count < list.all) {
		fprintf(out, "  others (%s): ", number_of(list.all - list.count, "stack").text);
		put_amount(out, view->metric, list.rest, list.rest_blocks);
		putc('\n', out);
	}
	free(list.stack);
}

static void put_warnings(FILE *out, const struct warnings *warnings,
			 const struct render_style *style)
{
	for (size_t i = 0; i < warnings->count; i++) {
		fprintf(out, "%swarning:%s ", style->has_color ? "\033[1;33m" : "",
			style->has_color ? "\033[0m" : "");
		text_put_clean(out, warnings->text[i]);
		putc('\n', out);
	}
}

static void put_filter(FILE *out, const struct groups_view *view)
{
	char *text = render_filter_text(view->filtered, view->groups->totals);

	fputs("filter: ", out);
	text_put_clean(out, text);
	putc('\n', out);
	free(text);
}

void render_groups_text(FILE *out, const struct groups_view *view, const struct render_style *style)
{
	text_put_clean(out, view->path);
	if (view->rules_path) {
		fputs(", groups of ", out);
		text_put_clean(out, view->rules_path);
	}
	putc('\n', out);
	if (view->filtered)
		put_filter(out, view);
	put_warnings(out, view->warnings, style);
	put_warnings(out, &view->groups->warnings, style);
	put_table(out, view, style);
	if (view->groups->suppressed.suppressions)
		putc('\n', out);
	render_suppressed_text(out, &view->groups->suppressed, groups_left(view->groups), "");
	if (view->explained)
		put_explanation(out, view, style);
}
