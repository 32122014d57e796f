/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/render/json_value.h"

#define SCHEMA "xalloc-report/1"

/* Frames repeat in nearly every stack: one object a frame, shared. By number of name; where two
 * frames have the same name (two calls in one function) the later takes the place. */
struct frame_cache {
	struct {
		const struct frame_name *frame;
		json_t *value;
	} * entry;
	size_t entries;
};

static json_t *build_frame(const struct frame_name *frame)
{
	json_t *value = json_object();

	json_value_set(value, "function", json_value_text(frame->function));
	json_value_set(value, "file", json_value_text(""));
	json_value_set(value, "line", json_value_count(0));
	json_value_set(value, "module", json_value_text(frame->module ? frame->module->path : ""));
	json_value_set(value, "offset", json_value_hex(frame->offset));
	json_value_set(value, "inlined", json_false());
	return value;
}

/* A new reference to the frame's object. */
static json_t *get_frame(struct frame_cache *cache, const struct frame_name *frame)
{
	const uint32_t at = frame->name;

	if (at >= cache->entries) {
		const size_t entries = ((size_t)at + 1) * 2;

		cache->entry = xreallocarray(cache->entry, entries, sizeof(*cache->entry));
		memset(cache->entry + cache->entries, 0,
		       (entries - cache->entries) * sizeof(*cache->entry));
		cache->entries = entries;
	}
	if (cache->entry[at].frame != frame) {
		json_decref(cache->entry[at].value);
		cache->entry[at].frame = frame;
		cache->entry[at].value = build_frame(frame);
	}
	return json_incref(cache->entry[at].value);
}

static void release_cache(struct frame_cache *cache)
{
	for (size_t i = 0; i < cache->entries; i++)
		json_decref(cache->entry[i].value);
	free(cache->entry);
}

static json_t *build_frames(struct frame_cache *cache, const struct shown_stacks *stacks,
			    uint32_t node)
{
	json_t *frames = json_array();

	for (; node; node = shown_stacks_parent(stacks, node))
		json_value_append(frames, get_frame(cache, shown_stacks_frame(stacks, node)));
	return frames;
}

static json_t *build_stack(struct frame_cache *cache, const struct summary *s, enum metric metric,
			   const struct shown_stack *stack)
{
	json_t *value = json_object();
	const uint64_t weight = metric_weight(&stack->sum, metric);

	if (metric == METRIC_CALLS || metric == METRIC_TEMPORARY) {
		json_value_set(value, "calls", json_value_count(weight));
	} else {
		json_value_set(value, "bytes", json_value_count(weight));
		json_value_set(value, "blocks",
			       json_value_count(metric_blocks(&stack->sum, metric)));
	}
	if (metric == METRIC_CALLS)
		json_value_set(value, "bytes", json_value_count(stack->sum.bytes));
	json_value_set(value, "merged", json_value_count(stack->merged));
	json_value_set(value, "frames", build_frames(cache, s->stacks, stack->sum.node));
	return value;
}

static json_t *build_stacks(const struct summary *s)
{
	static const enum metric metrics[] = { METRIC_PEAK, METRIC_CALLS, METRIC_LEAKED,
					       METRIC_TEMPORARY };
	struct frame_cache cache = { .entries = 0 };
	json_t *stacks = json_object();

	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		const struct shown_list *list = &s->list[metrics[i]];
		json_t *array = json_array();

		for (size_t j = 0; j < list->count; j++)
			json_value_append(array,
					  build_stack(&cache, s, metrics[i], list->stack[j]));
		json_value_set(stacks, metric_name(metrics[i]), array);
	}
	release_cache(&cache);
	return stacks;
}

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
	char *id = xmalloc((size_t)module->build_id_bytes * 2 + 1);

	*id = '\0';
	for (uint32_t i = 0; i < module->build_id_bytes; i++)
		snprintf(id + 2 * i, 3, "%02x", module->build_id[i]);
	json_value_set(value, "path", json_value_text(module->path));
	json_value_set(value, "build_id", json_value_text(id));
	json_value_set(value, "base", json_value_hex(module->map_start));
	free(id);
	return value;
}

/* What the trace does not tell is "". */
static json_t *build_environment(const struct summary *s)
{
	const struct module_map *map = trace_modules(s->trace);
	json_t *value = json_object(), *modules = json_array();

	for (size_t i = 0; i < module_map_count(map); i++)
		json_value_append(modules, build_module(module_map_get(map, i)));
	json_value_set(value, "kernel", json_value_text(""));
	json_value_set(value, "cpu", json_value_text(""));
	json_value_set(value, "allocator", json_value_text(""));
	json_value_set(value, "modules", modules);
	json_value_set(
		value, "settings",
		json_value_texts(trace_settings(s->trace)->text, trace_settings(s->trace)->count));
	return value;
}

struct count_row {
	const char *key;
	uint64_t count;
};

static json_t *build_counts(const struct count_row *row, size_t rows)
{
	json_t *value = json_object();

	for (size_t i = 0; i < rows; i++)
		json_value_set(value, row[i].key, json_value_count(row[i].count));
	return value;
}

static json_t *build_totals(const struct totals *t)
{
	const struct count_row row[] = {
		{ "allocation_calls", t->allocation_calls },
		{ "allocated_bytes", t->allocated_bytes },
		{ "free_calls", t->free_calls },
		{ "foreign_frees", t->foreign_frees },
		{ "failed_calls", t->failed_calls },
		{ "temporary_calls", t->temporary_calls },
		{ "leaked_calls", t->leaked_calls },
		{ "leaked_bytes", t->leaked_bytes },
		{ "peak_bytes", t->peak_bytes },
		{ "peak_blocks", t->peak_blocks },
		{ "peak_time_ns", t->peak_time_ns },
		{ "peak_time_error_ns", t->peak_time_error_ns },
		{ "duration_ns", t->duration_ns },
		{ "threads", t->threads },
		{ "events", t->events },
		{ "unseen_frees", t->unseen_frees },
	};

	return build_counts(row, sizeof(row) / sizeof(*row));
}

static json_t *build_functions(const struct totals *t)
{
	const struct count_row row[] = {
		{ "malloc", t->calls_malloc },	 { "calloc", t->calls_calloc },
		{ "realloc", t->calls_realloc }, { "aligned", t->calls_aligned },
		{ "new", t->calls_new },
	};

	return build_counts(row, sizeof(row) / sizeof(*row));
}

static void write_out(FILE *out, json_t *value)
{
	json_dumpf(value, out, JSON_INDENT(2));
	putc('\n', out);
	json_decref(value);
}

static void render_summary(FILE *out, const struct summary *s, const struct render_style *style)
{
	json_t *value = json_object();

	(void)style;
	json_value_set(value, "schema", json_value_text(SCHEMA));
	json_value_set(value, "trace", build_trace(s));
	json_value_set(value, "process", build_process(s));
	json_value_set(value, "environment", build_environment(s));
	json_value_set(value, "totals", build_totals(s->totals));
	json_value_set(value, "by_function", build_functions(s->totals));
	json_value_set(value, "stacks", build_stacks(s));
	write_out(out, value);
}

static void render_folded(FILE *out, const struct folded *folded, const struct render_style *style)
{
	struct frame_cache cache = { .entries = 0 };
	json_t *value = json_object(), *stacks = json_array();

	(void)style;
	for (size_t i = 0; i < folded->list.count; i++) {
		const struct stack_totals *sum = &folded->list.stack[i]->sum;
		json_t *stack = json_object();

		json_value_set(stack, "weight",
			       json_value_count(metric_weight(sum, folded->metric)));
		json_value_set(stack, "frames", build_frames(&cache, folded->stacks, sum->node));
		json_value_append(stacks, stack);
	}
	release_cache(&cache);
	json_value_set(value, "schema", json_value_text(SCHEMA));
	json_value_set(value, "metric", json_value_text(metric_name(folded->metric)));
	json_value_set(value, "unit", json_value_text(metric_unit(folded->metric)));
	json_value_set(value, "total", json_value_count(folded->total));
	json_value_set(value, "other_stacks", json_value_count(folded->list.rest));
	json_value_set(value, "stacks", stacks);
	write_out(out, value);
}

const struct renderer renderer_json = {
	.name = "json",
	.summary = render_summary,
	.folded = render_folded,
};
