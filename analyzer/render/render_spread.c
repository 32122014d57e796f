/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_spread.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_suppressed.h"
#include "analyzer/report/total_figures.h"

static struct leaks_left left_of(const struct run *run)
{
	return (struct leaks_left){ run->totals.leaked_bytes, run->totals.leaked_calls };
}

void render_runs_part(FILE *out, const struct run *run)
{
	if (run->is_filtered)
		fputs("     ", out);
	render_filter_line(out, run->is_filtered ? &run->filtered : NULL, &run->totals);
	render_suppressed_text(out, &run->suppressed, left_of(run), "     ");
}

void render_runs_parts(json_t *value, const struct runs *runs)
{
	json_t *filters = json_array(), *suppressions = json_array();

	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->run[i];

		if (run->is_filtered)
			json_value_append(filters,
					  render_filter_build(&run->filtered, &run->totals));
		if (run->suppressed.suppressions)
			json_value_append(suppressions,
					  render_suppressed_build(&run->suppressed, left_of(run)));
	}
	if (json_array_size(filters))
		json_value_set(value, "filters", json_incref(filters));
	if (json_array_size(suppressions))
		json_value_set(value, "suppressions", json_incref(suppressions));
	json_decref(filters);
	json_decref(suppressions);
}

void render_spread_put(FILE *out, const struct spread *spread, int width)
{
	char *text = spread->least == spread->most
			     ? xstrdup(number_count(spread->median).text)
			     : xasprintf("%s [%s..%s]", number_count(spread->median).text,
					 number_count(spread->least).text,
					 number_count(spread->most).text);

	fprintf(out, "%*s", width, text);
	free(text);
}

static struct spread total_spread(const struct runs *runs, const struct total_figure *figure)
{
	uint64_t *value = xcalloc(runs->count, sizeof(*value));
	struct spread spread;

	for (size_t i = 0; i < runs->count; i++)
		value[i] = total_figure_of(figure, &runs->run[i].totals);
	spread = spread_of(value, runs->count);
	free(value);
	return spread;
}

static void put_table(FILE *out, const struct runs *runs, const struct spread_table *table)
{
	const char *unit = metric_unit(table->metric);

	fprintf(out, "\n%s: ", metric_name(table->metric));
	render_spread_put(out, &table->all, 0);
	fprintf(out, " %s; %s the same in all runs",
		metric_unit_of(table->metric,
			       table->all.least == table->all.most ? table->all.most : 0),
		number_of(table->exact, "stack").text);
	fprintf(out, " (%s %s), ", number_count(table->exact_weight).text,
		metric_unit_of(table->metric, table->exact_weight));
	fprintf(out, "%s not\n", number_count(table->count).text);
	for (size_t i = 0; i < table->shown; i++) {
		fprintf(out, "%3zu. ", i + 1);
		render_spread_put(out, &table->stack[i].spread, 0);
		fprintf(out, " %s\n", unit);
		for (uint32_t node = table->stack[i].row->node; node;
		     node = runs_parent(runs, node)) {
			fputs("      ", out);
			text_put_clean(out, runs_frame(runs, node));
			putc('\n', out);
		}
	}
	if (table->shown < table->count)
		fprintf(out, "     %s more (--top 0 shows all)\n",
			number_of(table->count - table->shown, "stack").text);
}

void render_spread_text(FILE *out, const struct runs *runs, const struct spread_table *table)
{
	for (size_t i = 0; i < runs->count; i++) {
		text_put_clean(out, runs->run[i].path);
		putc('\n', out);
		render_runs_part(out, &runs->run[i]);
	}
	fprintf(out, "\n%40s  figure\n", "median [least..most]");
	for (size_t i = 0; i < total_figures; i++) {
		const struct spread spread = total_spread(runs, &total_figure[i]);

		render_spread_put(out, &spread, 40);
		fprintf(out, "  %s%s\n", total_figure[i].name,
			spread.least == spread.most ? "" : ": varies");
	}
	for (int i = 0; i < METRIC_COUNT; i++)
		if (i != METRIC_BYTES)
			put_table(out, runs, &table[i]);
}

static json_t *build_spread(const struct spread *spread)
{
	json_t *value = json_object();

	json_value_set(value, "min", json_value_count(spread->least));
	json_value_set(value, "median", json_value_count(spread->median));
	json_value_set(value, "max", json_value_count(spread->most));
	json_value_set(value, "exact", json_boolean(spread->least == spread->most));
	return value;
}

static json_t *build_table(const struct runs *runs, const struct spread_table *table)
{
	json_t *value = json_object(), *stacks = json_array();

	json_value_set(value, "metric", json_value_text(metric_name(table->metric)));
	json_value_set(value, "unit", json_value_text(metric_unit(table->metric)));
	json_value_set(value, "all", build_spread(&table->all));
	json_value_set(value, "exact_stacks", json_value_count(table->exact));
	json_value_set(value, "exact_weight", json_value_count(table->exact_weight));
	json_value_set(value, "varying_stacks", json_value_count(table->count));
	for (size_t i = 0; i < table->shown; i++) {
		json_t *one = build_spread(&table->stack[i].spread), *functions = json_array(),
		       *values = json_array();

		for (size_t j = 0; j < runs->count; j++)
			json_value_append(values, json_value_count(runs_value(table->stack[i].row,
									      j, table->metric)));
		for (uint32_t node = table->stack[i].row->node; node;
		     node = runs_parent(runs, node))
			json_value_append(functions, json_value_text(runs_frame(runs, node)));
		json_value_set(one, "values", values);
		json_value_set(one, "functions", functions);
		json_value_append(stacks, one);
	}
	json_value_set(value, "stacks", stacks);
	return value;
}

void render_spread_json(FILE *out, const struct runs *runs, const struct spread_table *table)
{
	json_t *value = json_object(), *paths = json_array(), *totals = json_array(),
	       *tables = json_array();
	char *text;

	for (size_t i = 0; i < runs->count; i++)
		json_value_append(paths, json_value_text(runs->run[i].path));
	for (size_t i = 0; i < total_figures; i++) {
		const struct spread spread = total_spread(runs, &total_figure[i]);
		json_t *one = build_spread(&spread);

		json_value_set(one, "name", json_value_text(total_figure[i].name));
		json_value_append(totals, one);
	}
	for (int i = 0; i < METRIC_COUNT; i++)
		json_value_append(tables, build_table(runs, &table[i]));
	json_value_set(value, "schema", json_value_text("xalloc-spread/1"));
	json_value_set(value, "runs", paths);
	render_runs_parts(value, runs);
	json_value_set(value, "totals", totals);
	json_value_set(value, "tables", tables);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
