/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/render_comparable.h"
#include "analyzer/render/render_spread.h"

static bool is_shown(const struct diff_view *view, enum metric metric)
{
	return view->has_metric ? metric == view->metric : metric != METRIC_BYTES;
}

static bool is_one_each(const struct diff *diff)
{
	return diff->runs->count == 2;
}

/* "+1,234", "-5", "0" */
static struct number signed_count(int64_t change)
{
	struct number number = number_count(change < 0 ? -(uint64_t)change : (uint64_t)change);

	if (!change)
		return number;
	memmove(number.text + 1, number.text, sizeof(number.text) - 1);
	number.text[0] = change < 0 ? '-' : '+';
	return number;
}

static void put_paths(FILE *out, const struct diff *diff)
{
	for (size_t i = 0; i < diff->runs->count; i++) {
		fputs(i < diff->befores ? "old  " : "new  ", out);
		text_put_clean(out, diff->runs->run[i].path);
		putc('\n', out);
		render_runs_part(out, &diff->runs->run[i]);
	}
}

static void put_figure(FILE *out, const struct diff_figure *figure, int width)
{
	render_spread_put(out, &figure->before, width);
	render_spread_put(out, &figure->after, width);
	fprintf(out, "%16s", figure->is_changed ? signed_count(diff_change(figure)).text : "=");
}

static void put_totals(FILE *out, const struct diff *diff, const struct render_style *style)
{
	const int width = is_one_each(diff) ? 16 : 40;

	fprintf(out, "\n%s%*s%*s%16s  figure%s\n", style->has_color ? "\033[1m" : "", width, "old",
		width, "new", "change", style->has_color ? "\033[0m" : "");
	for (size_t i = 0; i < diff->totals; i++) {
		const struct diff_total *total = &diff->total[i];

		put_figure(out, &total->figure, width);
		fprintf(out, "  %s", total->name);
		if (total->figure.is_changed && total->figure.before.median)
			fprintf(out, ", %.2f times",
				(double)total->figure.after.median /
					(double)total->figure.before.median);
		putc('\n', out);
	}
	if (!is_one_each(diff))
		fputs("medians, with the least and the most where they differ; =: within the "
		      "spreads\n",
		      out);
}

static void put_stack(FILE *out, const struct diff *diff, const struct diff_stack *stack,
		      size_t number, enum metric metric)
{
	const int64_t change = diff_change(&stack->figure);
	uint32_t node = stack->row->node;
	size_t lines = 0;

	fprintf(out, "%3zu. %s %s: ", number, signed_count(change).text,
		metric_unit_of(metric, change == -1 ? 1 : (uint64_t)change));
	render_spread_put(out, &stack->figure.before, 0);
	fputs(" -> ", out);
	render_spread_put(out, &stack->figure.after, 0);
	putc('\n', out);
	for (; node && lines < 40; node = runs_parent(diff->runs, node), lines++) {
		fputs("      ", out);
		text_put_clean(out, runs_frame(diff->runs, node));
		putc('\n', out);
	}
	if (node)
		fputs("      ...\n", out);
}

static void put_table(FILE *out, const struct diff *diff, const struct diff_table *table,
		      const struct render_style *style)
{
	const char *unit = metric_unit(table->metric);

	fprintf(out, "\n%s%s%s: ", style->has_color ? "\033[1m" : "", metric_name(table->metric),
		style->has_color ? "\033[0m" : "");
	render_spread_put(out, &table->all.before, 0);
	fputs(" -> ", out);
	render_spread_put(out, &table->all.after, 0);
	fprintf(out, " %s; %s changed, ", unit, number_of(table->count, "stack").text);
	fprintf(out, "%s did not\n", number_count(table->same).text);
	for (size_t i = 0; i < table->shown; i++)
		put_stack(out, diff, &table->stack[i], i + 1, table->metric);
	if (table->shown < table->count) {
		fprintf(out, "     %s more: +%s",
			number_of(table->count - table->shown, "stack").text,
			number_count(table->rest_grown).text);
		fprintf(out, " and -%s\n", number_count(table->rest_shrunk).text);
	}
	if (table->count) {
		fprintf(out, "     all changes: +%s", number_count(table->grown).text);
		fprintf(out, " and -%s %s\n", number_count(table->shrunk).text, unit);
	}
}

static void put_groups(FILE *out, const struct diff_view *view, const struct render_style *style)
{
	const int width = is_one_each(view->diff) ? 16 : 40;

	for (int m = 0; m < METRIC_COUNT; m++) {
		if (!is_shown(view, (enum metric)m))
			continue;
		fprintf(out, "\n%s%*s%*s%16s  group, by %s in %s%s\n",
			style->has_color ? "\033[1m" : "", width, "old", width, "new", "change",
			metric_name((enum metric)m), metric_unit((enum metric)m),
			style->has_color ? "\033[0m" : "");
		for (size_t i = 0; i < view->diff->groups; i++) {
			put_figure(out, &view->diff->group[i].figure[m], width);
			fputs("  ", out);
			text_put_clean(out, view->diff->group[i].name);
			putc('\n', out);
		}
		put_figure(out, &view->diff->table[m].all, width);
		fputs("  all\n", out);
	}
}

void render_diff_text(FILE *out, const struct diff_view *view, const struct render_style *style)
{
	const struct diff *diff = view->diff;

	put_paths(out, diff);
	for (size_t i = 0; i < view->comparables; i++)
		render_comparable_text(out, &view->comparable[i],
				       view->comparables > 1 ? diff->runs->run[i + 1].path : NULL);
	put_totals(out, diff, style);
	if (diff->groups)
		put_groups(out, view, style);
	for (int i = 0; i < METRIC_COUNT; i++)
		if (is_shown(view, (enum metric)i))
			put_table(out, diff, &diff->table[i], style);
	if (!view->has_metric && diff->table[METRIC_BYTES].count)
		fprintf(out, "\nWhich stacks requested more or less in all: --metric %s\n",
			metric_name(METRIC_BYTES));
}
