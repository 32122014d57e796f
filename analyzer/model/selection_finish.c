/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a selection: what it has counted becomes the result. */
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/depth_cut.h"
#include "analyzer/model/phase_stacks.h"
#include "analyzer/model/replay_state.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/selection_state.h"
#include "analyzer/trace/trace_clock.h"

static uint32_t depth_of(const struct selection *s)
{
	const uint32_t depth = trace_header(s->trace)->depth;

	return !depth || depth > XT_DEPTH_MAX ? XT_DEPTH_MAX : depth;
}

/* Of early blocks only what they held at the peak is selected. */
static void drop_early(struct selection *s)
{
	for (size_t i = 0; i < s->stacks; i++) {
		struct stack_totals *early = &s->stack[2 * i + 1];

		s->totals.leaked_bytes -= early->live_bytes;
		s->totals.leaked_calls -= early->live_blocks;
		early->live_bytes = early->live_blocks = 0;
	}
}

static void find_times(struct selection *s, const struct totals *whole)
{
	const struct trace_clock clock = trace_clock_of(trace_header(s->trace));
	struct totals *totals = &s->totals;

	totals->duration_ns = whole->duration_ns;
	totals->lost_events = whole->lost_events;
	totals->events = whole->events;
	if (!s->rule->has_from && !s->rule->has_to && !s->rule->has_at) {
		totals->peak_time_ns = whole->peak_time_ns;
		totals->peak_time_error_ns = whole->peak_time_error_ns;
		return;
	}
	if (s->peak_stream != NO_STREAM)
		s->peak_high = s->last_stamp;
	totals->peak_time_ns = s->rule->has_at ? s->rule->at : trace_clock_ns(&clock, s->peak_low);
	totals->peak_time_error_ns = trace_clock_error_ns(&clock, s->peak_low, s->peak_high);
}

static void find_totals(struct selection *s, const struct totals *whole)
{
	struct totals *totals = &s->totals;

	if (s->stage == SELECTION_BEFORE) /* no event is so late */
		selection_advance(s, s->from_stamp);
	if (s->rule->has_at && !s->is_taken)
		selection_take_instant(s, s->at_stamp, NO_STREAM);
	peak_settle(&s->peak, s->stack, 2 * s->stacks);
	totals->calls_malloc = s->calls[XT_OP_MALLOC];
	totals->calls_calloc = s->calls[XT_OP_CALLOC];
	totals->calls_realloc = s->calls[XT_OP_REALLOC] + s->calls[XT_OP_REALLOC_NULL];
	totals->calls_aligned = s->calls[XT_OP_ALIGNED];
	totals->calls_new = s->calls[XT_OP_NEW];
	totals->peak_bytes = s->peak.bytes;
	totals->peak_blocks = s->peak.blocks;
	totals->leaked_bytes = s->peak.live_bytes;
	totals->leaked_calls = s->peak.live_blocks;
	totals->threads = s->seen.count;
	drop_early(s);
	find_times(s, whole);
}

/* A stack that selects nothing goes, and the others are cut as the result's are. */
static size_t finish_stacks(struct selection *s, struct result *part)
{
	struct told *told = &part->told;
	const uint32_t depth = depth_of(s);
	size_t stacks = 0;

	for (size_t i = 0; i < 2 * s->stacks; i++)
		if (s->stack[i].calls || s->stack[i].peak_blocks)
			part->stack[stacks++] = s->stack[i];
	if (s->phases.count > 1)
		told->phase_stack = phase_stacks_cut(part->stack, stacks, s->phases.count,
						     part->tree, depth, &told->phase_stacks);
	stacks = phase_stacks_unite(part->stack, stacks, part->tree);
	return depth_cut_run(part->tree, part->stack, stacks, depth);
}

static uint32_t *find_where(const struct selection *s, struct stack_tree *tree)
{
	uint32_t *where = xcalloc(s->stacks + 1, sizeof(*where));

	for (size_t i = 0; i < s->stacks; i++)
		where[i] = s->stack[2 * i].calls || s->stack[2 * i + 1].peak_blocks
				   ? depth_cut_index(tree, s->stack[2 * i].node, depth_of(s))
				   : UINT32_MAX;
	return where;
}

/* What became of selected blocks in each phase; when phases were is as in the whole trace. */
static void finish_told(struct selection *s, struct result *part, struct told *whole)
{
	const struct trace_clock clock = trace_clock_of(trace_header(s->trace));
	struct told *told = &part->told;
	const bool has_own = told->phase_stack != NULL;

	told->texts = whole->texts;
	whole->texts = NULL;
	if (!has_own) {
		told->phase_stack = part->stack;
		told->phase_stacks = part->stacks;
	}
	phases_finish(&s->phases, told->texts, &clock, &s->totals, &s->peak,
		      s->to_stamp == UINT64_MAX ? trace_clock_end_stamp(&clock, s->last_stamp)
						: s->last_stamp,
		      told);
	s->phases.phase = NULL;
	s->phases.dump = NULL;
	if (!has_own) {
		told->phase_stack = NULL;
		told->phase_stacks = 0;
	}
	for (size_t i = 0; i < told->phases && i < whole->phases; i++) {
		told->phase[i].intervals = whole->phase[i].intervals;
		told->phase[i].duration_ns = whole->phase[i].duration_ns;
	}
	for (size_t i = 0, j = 0; i < told->dumps; i++) {
		while (j + 1 < whole->dumps && whole->dump[j].stamp < told->dump[i].stamp)
			j++;
		told->dump[i].events = whole->dump[j].events;
	}
	told->pauses = whole->pauses;
	told->paused_ns = whole->paused_ns;
}

void selection_finish(struct selection *s, struct result *result, uint32_t **where)
{
	struct growth *growth = s->view ? s->view->growth : NULL;
	struct result part = { .tree = result->tree, .looked_at = result->looked_at };
	uint32_t *found;

	part.stack = xcalloc(2 * s->stacks + 1, sizeof(*part.stack));
	find_totals(s, &result->totals);
	part.stacks = finish_stacks(s, &part);
	part.totals = s->totals;
	found = find_where(s, part.tree);
	if (growth)
		growth_finish(growth, found, part.stacks);
	if (where)
		*where = found;
	else
		free(found);
	finish_told(s, &part, &result->told);
	result->tree = NULL;
	result_release(result);
	*result = part;
}
