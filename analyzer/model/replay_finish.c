/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a replay: what it has counted becomes the result. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/depth_cut.h"
#include "analyzer/model/phase_stacks.h"
#include "analyzer/model/replay_state.h"
#include "analyzer/trace/trace_clock.h"

static void finish_times(struct replay *replay, uint64_t last_stamp)
{
	const struct trace_clock clock = trace_clock_of(trace_header(replay->trace));
	struct totals *totals = replay->totals;

	totals->duration_ns = trace_clock_ns(&clock, last_stamp);
	if (clock.ns > totals->duration_ns)
		totals->duration_ns = clock.ns;
	if (!totals->peak_bytes)
		return;
	if (replay->peak_stream != NO_STREAM)
		replay->peak_high = trace_clock_end_stamp(&clock, last_stamp);
	totals->peak_time_ns = trace_clock_ns(&clock, replay->peak_low);
	totals->peak_time_error_ns =
		trace_clock_error_ns(&clock, replay->peak_low, replay->peak_high);
}

static void finish_threads(struct replay *replay)
{
	bool has_main = false;

	for (uint32_t i = 0; i < replay->threads.count; i++)
		has_main |= replay->threads.thread[i].number == 0;
	replay->totals->threads = replay->threads.count + !has_main;
}

/* The stacks of each phase by themselves, cut; and all of them as one entry for each node. */
static void finish_phase_stacks(struct replay *replay, struct result *result, uint32_t depth)
{
	struct told *told = &result->told;

	told->phase_stack = phase_stacks_cut(replay->stack, replay->stacks, replay->phases.count,
					     replay->tree, depth, &told->phase_stacks);
	replay->stacks = phase_stacks_unite(replay->stack, replay->stacks, replay->tree);
}

static void finish_phases(struct replay *replay, struct result *result, uint64_t last_stamp)
{
	const struct trace_clock clock = trace_clock_of(trace_header(replay->trace));
	struct told *told = &result->told;

	if (!told->phase_stack) {
		told->phase_stack = replay->stack;
		told->phase_stacks = result->stacks;
	}
	phases_finish(&replay->phases, told->texts, &clock, replay->totals, &replay->peak,
		      trace_clock_end_stamp(&clock, last_stamp), told);
	if (told->phase_stack == replay->stack)
		told->phase_stack = NULL;
}

/* After the stacks were united and cut; node: of the stacks before that. */
static void finish_watches(struct replay *replay, const uint32_t *node, size_t nodes, size_t stacks,
			   uint32_t depth)
{
	struct moment *moment = replay->moment;
	uint32_t *where = xreallocarray(NULL, nodes + 1, sizeof(*where));

	for (size_t i = 0; i < nodes; i++)
		where[i] = depth_cut_index(replay->tree, node[i], depth);
	if (replay->watch->growth)
		growth_finish(replay->watch->growth, where, stacks);
	if (moment)
		moment->finish(moment->owner, where, stacks);
	free(where);
}

void replay_finish(struct replay *replay, struct result *result, uint64_t last_stamp)
{
	const bool is_watched = replay->moment || (replay->watch && replay->watch->growth);
	struct totals *totals = replay->totals;
	uint32_t depth = trace_header(replay->trace)->depth, *node = NULL;
	const size_t nodes = replay->stacks;

	totals->calls_malloc = replay->calls[XT_OP_MALLOC];
	totals->calls_calloc = replay->calls[XT_OP_CALLOC];
	totals->calls_realloc = replay->calls[XT_OP_REALLOC] + replay->calls[XT_OP_REALLOC_NULL];
	totals->calls_aligned = replay->calls[XT_OP_ALIGNED];
	totals->calls_new = replay->calls[XT_OP_NEW];
	peak_settle(&replay->peak, replay->stack, replay->stacks);
	totals->peak_bytes = replay->peak.bytes;
	totals->peak_blocks = replay->peak.blocks;
	totals->leaked_bytes = replay->peak.live_bytes;
	totals->leaked_calls = replay->peak.live_blocks;
	finish_threads(replay);
	finish_times(replay, last_stamp);
	totals->lost_events = trace_lost_events(replay->trace);
	if (!depth || depth > XT_DEPTH_MAX)
		depth = XT_DEPTH_MAX;
	if (is_watched) {
		node = xreallocarray(NULL, nodes + 1, sizeof(*node));
		for (size_t i = 0; i < nodes; i++)
			node[i] = replay->stack[i].node;
	}
	if (replay->phase_stacks)
		finish_phase_stacks(replay, result, depth);
	result->stacks = depth_cut_run(replay->tree, replay->stack, replay->stacks, depth);
	result->stack = replay->stack;
	if (is_watched)
		finish_watches(replay, node, nodes, result->stacks, depth);
	free(node);
	pools_finish(&replay->pools, replay->tree, depth, totals, &result->told);
	finish_phases(replay, result, last_stamp);
}
