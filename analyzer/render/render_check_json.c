/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "analyzer/render/check_text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_check.h"
#include "analyzer/render/render_comparable.h"
#include "analyzer/render/render_suppressed.h"

static void set_text(json_t *object, const char *key, const char *text)
{
	json_value_set(object, key, json_value_text(text));
}

/* Only what there is. */
static void set_name(json_t *object, const char *key, const char *text)
{
	if (text)
		set_text(object, key, text);
}

static json_t *build_frame(const struct check_frame *frame)
{
	json_t *value = json_object();

	set_text(value, "function", frame->function);
	set_text(value, "file", frame->file);
	json_value_set(value, "line", json_value_count(frame->line));
	set_text(value, "module", frame->module);
	json_value_set(value, "offset", json_value_hex(frame->offset));
	json_value_set(value, "inlined", json_boolean(frame->is_inlined));
	return value;
}

static json_t *build_stacks(const struct check_stacks *stacks)
{
	json_t *list = json_array();

	for (size_t i = 0; i < stacks->count; i++) {
		const struct check_stack *stack = &stacks->stack[i];
		json_t *value = json_object(), *frames = json_array();

		if (stacks->has_before)
			json_value_set(value, "old", json_value_count(stack->before));
		json_value_set(value, "new", json_value_count(stack->after));
		for (size_t j = 0; j < stack->frames; j++)
			json_value_append(frames, build_frame(&stack->frame[j]));
		json_value_set(value, "frames", frames);
		json_value_append(list, value);
	}
	return list;
}

static json_t *build_row(const struct check_row *row)
{
	const struct limit *limit = row->limit;
	json_t *value = json_object();

	json_value_set(value, "position", json_value_count(row->position));
	set_text(value, "metric", limit->metric->name);
	set_text(value, "bound", limit_bound_name(row->bound));
	set_name(value, "group", limit->group);
	set_name(value, "function", limit->function);
	set_name(value, "phase", limit->phase);
	if (limit->has_thread && !limit->thread.name)
		json_value_set(value, "thread", json_value_count(limit->thread.number));
	set_name(value, "thread_name", limit->thread.name);
	set_name(value, "per", limit->is_per_iteration ? "iteration" : NULL);
	set_text(value, "state", check_state_text(row->state));
	set_name(value, "why", row->why);
	if (row->state != CHECK_NOT_AVAILABLE) {
		json_value_set(value, "actual", json_real(row->actual));
		json_value_set(value, "limit", json_real(row->allowed));
		json_value_set(value, "margin", json_real(row->margin));
	}
	if (row->has_baseline)
		json_value_set(value, "baseline", json_real(row->before));
	if (row->stacks.all)
		set_text(value, "stacks_by", row->stacks.by);
	if (row->stacks.turns)
		json_value_set(value, "turns", json_value_count(row->stacks.turns));
	json_value_set(value, "all_stacks", json_value_count(row->stacks.all));
	json_value_set(value, "stacks", build_stacks(&row->stacks));
	return value;
}

static json_t *build_baseline(const struct check_baseline *baseline)
{
	json_t *value = render_comparable_json(&baseline->comparable, "old", "new"),
	       *moved = json_array();

	set_text(value, "path", baseline->path);
	for (size_t i = 0; i < baseline->moves; i++) {
		json_t *one = json_object();

		set_text(one, "name", baseline->moved[i].name);
		json_value_set(one, "old", json_value_count(baseline->moved[i].before));
		json_value_set(one, "new", json_value_count(baseline->moved[i].after));
		json_value_set(one, "limited", json_boolean(baseline->moved[i].is_limited));
		json_value_append(moved, one);
	}
	json_value_set(value, "moved", moved);
	return value;
}

static json_t *build_check(const struct check *check)
{
	json_t *value = json_object(), *rows = json_array(), *baselines = json_array();

	set_text(value, "path", check->path);
	set_text(value, "command", check->command);
	set_text(value, "verdict", check_verdict_text(check->verdict));
	json_value_set(value, "complete", json_boolean(!check->is_lossy));
	json_value_set(value, "reasons",
		       json_value_texts(check->reasons.text, check->reasons.count));
	for (size_t i = 0; i < check->rows; i++)
		json_value_append(rows, build_row(&check->row[i]));
	json_value_set(value, "limits", rows);
	for (size_t i = 0; i < check->baselines; i++)
		json_value_append(baselines, build_baseline(&check->baseline[i]));
	json_value_set(value, "baselines", baselines);
	render_suppressed_json(value, &check->suppressed, check->left);
	json_value_set(value, "warnings",
		       json_value_texts(check->warnings.text, check->warnings.count));
	return value;
}

void render_check_json(FILE *out, const struct check_view *view)
{
	json_t *value = json_object(), *traces = json_array();
	char *text;

	set_text(value, "schema", "xalloc-check/1");
	set_text(value, "budget", view->limits->path);
	set_text(value, "verdict", check_verdict_text(view->verdict));
	for (size_t i = 0; i < view->checks; i++)
		json_value_append(traces, build_check(&view->check[i]));
	json_value_set(value, "traces", traces);
	text = json_value_dump(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
