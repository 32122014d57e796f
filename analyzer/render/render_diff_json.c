/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "analyzer/render/json_value.h"
#include "analyzer/render/render_comparable.h"
#include "analyzer/render/render_diff.h"
#include "analyzer/render/render_spread.h"

static json_t *build_spread(const struct spread *spread)
{
	json_t *value = json_object();

	json_value_set(value, "min", json_value_count(spread->least));
	json_value_set(value, "median", json_value_count(spread->median));
	json_value_set(value, "max", json_value_count(spread->most));
	return value;
}

static void set_figure(json_t *value, const struct diff_figure *figure)
{
	json_value_set(value, "old", build_spread(&figure->before));
	json_value_set(value, "new", build_spread(&figure->after));
	json_value_set(value, "change", json_integer(diff_change(figure)));
	json_value_set(value, "changed", json_boolean(figure->is_changed));
}

static json_t *build_stack(const struct diff *diff, const struct diff_stack *stack)
{
	json_t *value = json_object(), *frames = json_array();

	set_figure(value, &stack->figure);
	for (uint32_t node = stack->row->node; node; node = runs_parent(diff->runs, node))
		json_value_append(frames, json_value_text(runs_frame(diff->runs, node)));
	json_value_set(value, "functions", frames);
	return value;
}

static json_t *build_table(const struct diff *diff, const struct diff_table *table)
{
	json_t *value = json_object(), *stacks = json_array();

	json_value_set(value, "metric", json_value_text(metric_name(table->metric)));
	json_value_set(value, "unit", json_value_text(metric_unit(table->metric)));
	set_figure(value, &table->all);
	json_value_set(value, "changed_stacks", json_value_count(table->count));
	json_value_set(value, "same_stacks", json_value_count(table->same));
	json_value_set(value, "grown", json_value_count(table->grown));
	json_value_set(value, "shrunk", json_value_count(table->shrunk));
	json_value_set(value, "other_grown", json_value_count(table->rest_grown));
	json_value_set(value, "other_shrunk", json_value_count(table->rest_shrunk));
	for (size_t i = 0; i < table->shown; i++)
		json_value_append(stacks, build_stack(diff, &table->stack[i]));
	json_value_set(value, "stacks", stacks);
	return value;
}

static json_t *build_group(const struct diff_group *group)
{
	json_t *value = json_object();

	json_value_set(value, "name", json_value_text(group->name));
	for (int m = 0; m < METRIC_COUNT; m++) {
		json_t *figure = json_object();

		set_figure(figure, &group->figure[m]);
		json_value_set(value, metric_name((enum metric)m), figure);
	}
	return value;
}

void render_diff_json(FILE *out, const struct diff_view *view)
{
	const struct diff *diff = view->diff;
	json_t *value = json_object(), *before = json_array(), *after = json_array(),
	       *comparable = json_array(), *totals = json_array(), *tables = json_array(),
	       *groups = json_array();
	bool is_comparable = true;
	char *text;

	for (size_t i = 0; i < diff->runs->count; i++)
		json_value_append(i < diff->befores ? before : after,
				  json_value_text(diff->runs->run[i].path));
	for (size_t i = 0; i < view->comparables; i++) {
		is_comparable = is_comparable && view->comparable[i].is_comparable;
		json_value_append(comparable, render_comparable_json(&view->comparable[i], "old", "new"));
	}
	for (size_t i = 0; i < diff->totals; i++) {
		json_t *one = json_object();

		json_value_set(one, "name", json_value_text(diff->total[i].name));
		set_figure(one, &diff->total[i].figure);
		json_value_append(totals, one);
	}
	for (int i = 0; i < METRIC_COUNT; i++)
		if (!view->has_metric || (int)view->metric == i)
			json_value_append(tables, build_table(diff, &diff->table[i]));
	json_value_set(value, "schema", json_value_text("xalloc-diff/1"));
	json_value_set(value, "old", before);
	json_value_set(value, "new", after);
	render_runs_parts(value, diff->runs);
	json_value_set(value, "comparable", json_boolean(is_comparable));
	json_value_set(value, "comparisons", comparable);
	json_value_set(value, "totals", totals);
	for (size_t i = 0; i < diff->groups; i++)
		json_value_append(groups, build_group(&diff->group[i]));
	json_value_set(value, "groups", groups);
	json_value_set(value, "tables", tables);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
