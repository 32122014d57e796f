/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_groups.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/render/json_stacks.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_suppressed.h"

static void set_count(json_t *object, const char *key, uint64_t count)
{
	json_value_set(object, key, json_value_count(count));
}

/* The keys are those of `totals` of a summary. */
static void set_figures(json_t *object, const struct stack_totals *sum)
{
	set_count(object, "peak_bytes", sum->peak_bytes);
	set_count(object, "peak_blocks", sum->peak_blocks);
	set_count(object, "allocation_calls", sum->calls);
	set_count(object, "allocated_bytes", sum->bytes);
	set_count(object, "temporary_calls", sum->temporary);
	set_count(object, "leaked_bytes", sum->live_bytes);
	set_count(object, "leaked_calls", sum->live_blocks);
}

static json_t *build_totals(const struct totals *totals)
{
	const struct stack_totals sum = { .peak_bytes = totals->peak_bytes,
					  .peak_blocks = totals->peak_blocks,
					  .calls = totals->allocation_calls,
					  .bytes = totals->allocated_bytes,
					  .temporary = totals->temporary_calls,
					  .live_bytes = totals->leaked_bytes,
					  .live_blocks = totals->leaked_calls };
	json_t *value = json_object();

	set_figures(value, &sum);
	return value;
}

static json_t *build_groups(const struct groups_view *view)
{
	size_t *order = groups_order(view->groups, view->by_metric, view->metric);
	json_t *list = json_array();

	for (size_t i = 0; i < view->groups->count; i++) {
		const struct group *group = &view->groups->group[order[i]];
		json_t *value = json_object();

		json_value_set(value, "name", json_value_text(group_name(group)));
		json_value_set(value, "file",
			       json_value_text(group->rule ? group->rule->file : ""));
		set_count(value, "position", group->rule ? group->rule->position : 0);
		set_count(value, "stacks", group->stacks);
		set_figures(value, &group->sum);
		json_value_append(list, value);
	}
	free(order);
	return list;
}

static json_t *build_warnings(const struct groups_view *view)
{
	const struct warnings *const from[] = { view->warnings, &view->groups->warnings };
	json_t *list = json_array();

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < from[i]->count; j++)
			json_value_append(list, json_value_text(from[i]->text[j]));
	return list;
}

/* For each frame that a pattern of the group matches: where it is, and which one. */
static json_t *build_matches(const struct groups_view *view, const struct shown_list *stacks)
{
	json_t *list = json_array();

	for (size_t i = 0; i < stacks->count; i++) {
		struct shown_walk walk =
			shown_stacks_walk(view->stacks, stacks->stack[i], view->metric);
		const struct frame_name *frame = shown_walk_next(&walk), *next;

		for (size_t at = 0; frame; frame = next, at++) {
			char *text;

			next = shown_walk_next(&walk);
			text = group_match_text(view->groups, view->explained, frame, !at, !next);
			if (text) {
				json_t *value = json_object();

				set_count(value, "stack", i);
				set_count(value, "frame", at);
				json_value_set(value, "pattern", json_value_text(text));
				json_value_append(list, value);
			}
			free(text);
		}
	}
	return list;
}

/* The last member: the stacks of the group, as json_stacks writes them. */
static void put_stacks(FILE *out, const struct groups_view *view, const struct shown_list *list)
{
	struct json_stacks json;

	fputs("  \"stacks\": [\n", out);
	json_stacks_init(&json, out, "    ");
	for (size_t i = 0; i < list->count; i++) {
		const struct stack_totals *sum = &list->stack[i]->sum;
		const struct json_figure figure[] = {
			{ "weight", metric_weight(sum, view->metric) },
			{ "blocks", metric_blocks(sum, view->metric) },
			{ "merged", list->stack[i]->merged },
		};

		json_stacks_put(&json, figure, sizeof(figure) / sizeof(*figure),
				shown_stacks_walk(view->stacks, list->stack[i], view->metric),
				i + 1 == list->count);
	}
	json_stacks_release(&json);
	fputs("  ]\n}\n", out);
}

static json_t *build_explanation(const struct groups_view *view, const struct shown_list *list)
{
	json_t *value = json_object();

	json_value_set(value, "group", json_value_text(group_name(view->explained)));
	json_value_set(value, "metric", json_value_text(metric_name(view->metric)));
	json_value_set(value, "unit", json_value_text(metric_unit(view->metric)));
	set_count(value, "total", shown_stacks_sum(view->stacks, view->metric).weight);
	set_count(value, "other_weight", list->rest);
	json_value_set(value, "matches", build_matches(view, list));
	return value;
}

void render_groups_json(FILE *out, const struct groups_view *view)
{
	struct shown_list list = { .stack = NULL };
	json_t *value = json_object();
	char *text;

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text("groups"));
	json_value_set(value, "path", json_value_text(view->path));
	json_value_set(value, "rules", json_value_text(view->rules_path));
	json_value_set(value, "complete", json_boolean(view->is_complete));
	json_value_set(value, "warnings", build_warnings(view));
	json_value_set(value, "totals", build_totals(view->groups->totals));
	render_filter_json(value, view->filtered, view->groups->totals);
	json_value_set(value, "groups", build_groups(view));
	render_suppressed_json(value, &view->groups->suppressed, groups_left(view->groups));
	if (view->explained) {
		list = shown_stacks_list(view->stacks, view->metric, view->top);
		json_value_set(value, "explain", build_explanation(view, &list));
	}
	text = json_value_dump(value, JSON_INDENT(2));
	if (view->explained) {
		fprintf(out, "%.*s,\n", (int)(strlen(text) - strlen("\n}")), text);
		put_stacks(out, view, &list);
	} else {
		fprintf(out, "%s\n", text);
	}
	free(text);
	free(list.stack);
	json_decref(value);
}
