/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/limit_parts.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/selection.h"

static struct phase_part_rule rule_of(const struct limit_part *part)
{
	return (struct phase_part_rule){
		.phase = part->phase,
		.has_thread = part->has_thread,
		.thread = part->thread.number,
		.thread_name = part->thread.name,
		.is_of_turns = part->is_per_iteration,
	};
}

int limit_parts_replay(struct limit_parts *parts, const struct limits *limits, struct analysis *a,
		       struct err *err)
{
	static const struct selection_rule all = { .has_thread = false };
	struct selection selection;

	*parts = (struct limit_parts){ .rule = NULL };
	if (!limits->parts) {
		analysis_replay(a, NULL);
		return 0;
	}
	parts->rule = xcalloc(limits->parts, sizeof(*parts->rule));
	for (size_t i = 0; i < limits->parts; i++)
		parts->rule[i] = rule_of(&limits->part[i]);
	phase_parts_init(&parts->parts, parts->rule, limits->parts);
	if (selection_init(&selection, a->trace, &all, &parts->parts.view, err))
		return -1;
	replay_with_progress(a->trace, &a->result, &selection.tap);
	selection_release(&selection);
	phase_parts_finish(&parts->parts, &a->result, trace_header(a->trace)->depth);
	return 0;
}

/* Of turns there is nothing that leaks, but what they grew by. */
static void suppress(struct limit_parts *parts, const struct suppressed_leaks *leaks)
{
	for (size_t i = 0; leaks->suppressions && i < parts->parts.count; i++) {
		struct phase_part *part = &parts->parts.part[i];
		struct suppressed taken;

		if (parts->rule[i].is_of_turns)
			continue;
		taken = suppressed_take(leaks, part->stack, part->stacks);

		part->totals.leaked_bytes -= taken.bytes;
		part->totals.leaked_calls -= taken.blocks;
	}
}

void limit_parts_measure(struct limit_parts *parts, const struct analysis *a,
			 struct measured *whole)
{
	if (!parts->parts.count)
		return;
	suppress(parts, &a->summary.suppressed);
	parts->measured = (struct measured_parts){ &a->result, &a->summary, parts->parts.part };
	whole->parts = &parts->measured;
}

int limit_parts_read(struct limit_parts *parts, const struct limits *limits, const char *path,
		     struct measured *whole, const struct options *options, struct err *err)
{
	struct analysis a = { .trace = NULL };

	*parts = (struct limit_parts){ .rule = NULL };
	if (!limits->parts)
		return 0;
	if (trace_open(&a.trace, path, err))
		return -1;
	if (limit_parts_replay(parts, limits, &a, err)) {
		trace_close(a.trace);
		return -1;
	}
	parts->analysis = a;
	analysis_summarise_figures(&parts->analysis, options);
	limit_parts_measure(parts, &parts->analysis, whole);
	return 0;
}

void limit_parts_release(struct limit_parts *parts)
{
	phase_parts_release(&parts->parts);
	if (parts->analysis.trace)
		analysis_close(&parts->analysis);
	free(parts->rule);
}
