/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_mappings.h"
#include "analyzer/render/json_stacks.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_suppressed.h"
#include "analyzer/report/environment.h"

#define SCHEMA "xalloc-report/1"

static json_t *build_trace(const struct summary *s)
{
	const struct xt_header *header = trace_header(s->trace);
	json_t *value = json_object();

	json_value_set(value, "version", json_value_count(header->version));
	json_value_set(value, "complete", json_boolean(s->is_complete));
	json_value_set(value, "lost_events", json_value_count(s->lost_events));
	json_value_set(value, "warnings", json_value_texts(s->warnings.text, s->warnings.count));
	json_value_set(value, "path", json_value_text(trace_path(s->trace)));
	json_value_set(value, "damaged", json_boolean(s->is_damaged));
	json_value_set(value, "depth", json_value_count(header->depth));
	json_value_set(value, "elided_calls",
		       json_value_count(shown_stacks_elided_calls(s->stacks)));
	json_value_set(value, "truncated_calls",
		       json_value_count(shown_stacks_truncated_calls(s->stacks)));
	return value;
}

static json_t *build_process(const struct summary *s)
{
	const struct xt_header *header = trace_header(s->trace);
	json_t *value = json_object();

	json_value_set(value, "pid", json_value_count(header->pid));
	json_value_set(value, "ppid", json_value_count(header->ppid));
	json_value_set(value, "exe", json_value_text(trace_exe(s->trace)));
	json_value_set(value, "argv", json_value_texts(trace_argv(s->trace), trace_argc(s->trace)));
	json_value_set(value, "exit", json_value_text(s->end.text));
	json_value_set(value, "cwd", json_value_text(trace_cwd(s->trace)));
	json_value_set(value, "image", json_value_count(header->image));
	json_value_set(value, "forked", json_boolean(header->forked));
	if (s->end.next)
		json_value_set(value, "next_trace", json_value_text(s->end.next));
	return value;
}

static json_t *build_module(const struct module *module)
{
	json_t *value = json_object();
	char *id = text_hex(module->build_id, module->build_id_bytes);

	json_value_set(value, "path", json_value_text(module->path));
	json_value_set(value, "build_id", json_value_text(id));
	json_value_set(value, "base", json_value_hex(module->map_start));
	free(id);
	return value;
}

static json_t *build_variables(const struct strlist *environment)
{
	json_t *value = json_object();

	for (size_t i = 0; i < environment->count; i++) {
		const char *variable = environment_variable(environment->text[i]);
		const char *end = variable ? strchr(variable, '=') : NULL;
		char *name;
		json_t *key;

		if (!end)
			continue;
		name = xstrndup(variable, (size_t)(end - variable));
		key = json_value_text(name); /* a key has to be UTF-8 as well */
		json_value_set(value, json_string_value(key), json_value_text(end + 1));
		json_decref(key);
		free(name);
	}
	return value;
}

/* What the trace does not tell is "". */
static json_t *build_environment(const struct summary *s)
{
	static const char *const fact[] = { "kernel", "cpu", "allocator",
					    "libc",   "thp", "cgroup_memory_max" };
	const struct strlist *environment = trace_environment(s->trace);
	const struct module_map *map = trace_modules(s->trace);
	json_t *value = json_object(), *modules = json_array();

	for (size_t i = 0; i < module_map_count(map); i++)
		json_value_append(modules, build_module(module_map_get(map, i)));
	for (size_t i = 0; i < sizeof(fact) / sizeof(*fact); i++)
		json_value_set(value, fact[i],
			       json_value_text(environment_value(environment, fact[i])));
	json_value_set(value, "variables", build_variables(environment));
	json_value_set(value, "modules", modules);
	json_value_set(
		value, "settings",
		json_value_texts(trace_settings(s->trace)->text, trace_settings(s->trace)->count));
	return value;
}

/* Writes an object with room for one more member: all but its closing brace. */
static void open_object(FILE *out, json_t *value)
{
	char *text = json_value_dump(value, JSON_INDENT(2));

	fprintf(out, "%.*s,\n", (int)(strlen(text) - strlen("\n}")), text);
	free(text);
	json_decref(value);
}

static void put_list(struct json_stacks *json, const struct summary *s, enum metric metric)
{
	const struct shown_list *list = &s->list[metric];
	const bool is_calls = metric == METRIC_CALLS || metric == METRIC_TEMPORARY;

	for (size_t i = 0; i < list->count; i++) {
		const struct shown_stack *stack = list->stack[i];
		const struct stack_totals *sum = &stack->sum;
		struct json_figure figure[3];
		size_t figures = 0;

		figure[figures++] = (struct json_figure){ is_calls ? "calls" : "bytes",
							  metric_weight(sum, metric) };
		if (metric == METRIC_CALLS)
			figure[figures++] = (struct json_figure){ "bytes", sum->bytes };
		if (!is_calls)
			figure[figures++] =
				(struct json_figure){ "blocks", metric_blocks(sum, metric) };
		figure[figures++] = (struct json_figure){ "merged", stack->merged };
		json_stacks_put(json, figure, figures,
				shown_stacks_walk(s->stacks, stack, metric),
				i + 1 == list->count);
	}
}

static void put_stacks(FILE *out, const struct summary *s)
{
	static const enum metric metrics[] = { METRIC_PEAK, METRIC_CALLS, METRIC_LEAKED,
					       METRIC_TEMPORARY };
	const size_t count = sizeof(metrics) / sizeof(*metrics);
	struct json_stacks json;

	json_stacks_init(&json, out, "      ");
	fputs("  \"stacks\": {\n", out);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "    \"%s\": [\n", metric_name(metrics[i]));
		put_list(&json, s, metrics[i]);
		fprintf(out, "    ]%s\n", i + 1 < count ? "," : "");
	}
	fputs("  }\n}\n", out);
	json_stacks_release(&json);
}

static void render_summary(FILE *out, const struct summary *s, const struct render_style *style)
{
	json_t *value = json_object();

	(void)style;
	json_value_set(value, "schema", json_value_text(SCHEMA));
	json_value_set(value, "trace", build_trace(s));
	json_value_set(value, "process", build_process(s));
	json_value_set(value, "environment", build_environment(s));
	json_value_set(value, "totals",
		       json_totals_build(s->totals, !trace_has_dropped(s->trace, TRACE_STAMPS)));
	json_value_set(value, "by_function", json_totals_functions(s->totals));
	render_filter_json(value, s->filtered, s->totals);
	render_suppressed_json(value, &s->suppressed, summary_left(s));
	open_object(out, value);
	json_mappings_put(out, s);
	put_stacks(out, s);
}

static void render_folded(FILE *out, const struct folded *folded, const struct render_style *style)
{
	json_t *value = json_object();
	struct json_stacks json;

	(void)style;
	json_value_set(value, "schema", json_value_text(SCHEMA));
	json_value_set(value, "metric", json_value_text(metric_name(folded->metric)));
	json_value_set(value, "unit", json_value_text(metric_unit(folded->metric)));
	json_value_set(value, "total", json_value_count(folded->total));
	json_value_set(value, "other_weight", json_value_count(folded->list.rest));
	render_filter_json(value, folded->filtered, folded->totals);
	if (folded->suppressed)
		render_suppressed_json(value, folded->suppressed, folded->left);
	open_object(out, value);
	fputs("  \"stacks\": [\n", out);
	json_stacks_init(&json, out, "    ");
	for (size_t i = 0; i < folded->list.count; i++) {
		const struct shown_stack *stack = folded->list.stack[i];
		const struct json_figure weight = { "weight",
						    metric_weight(&stack->sum, folded->metric) };

		json_stacks_put(&json, &weight, 1,
				shown_stacks_walk(folded->stacks, stack, folded->metric),
				i + 1 == folded->list.count);
	}
	json_stacks_release(&json);
	fputs("  ]\n}\n", out);
}

const struct renderer renderer_json = {
	.name = "json",
	.summary = render_summary,
	.folded = render_folded,
};
