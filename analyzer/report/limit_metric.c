/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/limit_metric.h"

#include <string.h>

#define TOTAL(m) .total = offsetof(struct totals, m)
#define STACK(m) .stack = offsetof(struct stack_totals, m)
#define PHASE(m) .phase = offsetof(struct phase, m)
#define TURN(m) .turn = offsetof(struct phase, m)
#define TABLE(m) .table = METRIC_##m
#define NO_TOTAL .total = LIMIT_NOWHERE
#define NO_STACK(why) .stack = LIMIT_NOWHERE, .no_stack = (why)
#define NO_PHASE(why) .phase = LIMIT_NOWHERE, .no_phase = (why)
#define NO_TURN(why) .turn = LIMIT_NOWHERE, .no_turn = (why)
#define NO_TABLE .table = METRIC_COUNT
/* What the program does in a phase, and in its turns; by no stack. */
#define COUNTER(m, why) TOTAL(m), NO_STACK(why), PHASE(during.m), TURN(in_turns.m), NO_TABLE
/* Of the whole trace alone. */
#define WHOLE(why) NO_STACK(why), NO_PHASE(why), NO_TURN(why), NO_TABLE

#define INSTANT "a peak is one instant, and a mean of some is none: limit that of the phase"
#define AT_END "what is never freed is known at the end only: limit live_bytes"
#define FREES "a free has no stack, and its block may be another thread's"
#define FAILED "failed calls are counted as a whole"
#define PAUSED "what happens while recording is paused has no stack"
#define EVENTS "events are counted as a whole"
#define THREADS "threads are counted over the whole trace"
#define TIME "a time is not made up of stacks"
#define PEAK_TIME "it is that of the peak of the whole trace"
#define RESIDENT "resident memory is that of the whole process"

/* clang-format off */
static const struct limit_metric metrics[] = {
	{ "allocation_calls", LIMIT_OF_TRACE, false, TOTAL(allocation_calls), STACK(calls),
	  PHASE(sum.calls), TURN(in_turns.allocation_calls), TABLE(CALLS) },
	{ "allocated_bytes", LIMIT_OF_TRACE, true, TOTAL(allocated_bytes), STACK(bytes),
	  PHASE(sum.bytes), TURN(in_turns.allocated_bytes), TABLE(BYTES) },
	{ "peak_bytes", LIMIT_OF_TRACE, true, TOTAL(peak_bytes), STACK(peak_bytes),
	  PHASE(highest_bytes), NO_TURN(INSTANT), TABLE(PEAK) },
	{ "peak_blocks", LIMIT_OF_TRACE, false, TOTAL(peak_blocks), STACK(peak_blocks),
	  PHASE(highest_blocks), NO_TURN(INSTANT), TABLE(PEAK) },
	{ "leaked_bytes", LIMIT_OF_TRACE, true, TOTAL(leaked_bytes), STACK(live_bytes),
	  PHASE(sum.live_bytes), NO_TURN(AT_END), TABLE(LEAKED) },
	{ "leaked_calls", LIMIT_OF_TRACE, false, TOTAL(leaked_calls), STACK(live_blocks),
	  PHASE(sum.live_blocks), NO_TURN(AT_END), TABLE(LEAKED) },
	{ "temporary_calls", LIMIT_OF_TRACE, false, TOTAL(temporary_calls), STACK(temporary),
	  PHASE(sum.temporary), TURN(in_turns.temporary_calls), TABLE(TEMPORARY) },
	{ "live_bytes", LIMIT_OF_TRACE, true, NO_TOTAL, STACK(live_bytes), NO_PHASE(NULL),
	  TURN(turn[ITERATION_LIVE].sum), TABLE(LEAKED), .is_signed = true },
	{ "free_calls", LIMIT_OF_TRACE, false, COUNTER(free_calls, FREES) },
	{ "foreign_frees", LIMIT_OF_TRACE, false, COUNTER(foreign_frees, FREES) },
	{ "freed_blocks", LIMIT_OF_TRACE, false, COUNTER(freed_blocks, FREES) },
	{ "realloc_frees", LIMIT_OF_TRACE, false, COUNTER(realloc_frees, FREES) },
	{ "unseen_frees", LIMIT_OF_TRACE, false, COUNTER(unseen_frees, FREES) },
	{ "failed_calls", LIMIT_OF_TRACE, false, COUNTER(failed_calls, FAILED) },
	{ "untracked_calls", LIMIT_OF_TRACE, false, COUNTER(untracked_calls, PAUSED) },
	{ "untracked_frees", LIMIT_OF_TRACE, false, COUNTER(untracked_frees, PAUSED) },
	{ "events", LIMIT_OF_TRACE, false, COUNTER(events, EVENTS) },
	{ "threads", LIMIT_OF_TRACE, false, TOTAL(threads), WHOLE(THREADS) },
	{ "peak_time_ns", LIMIT_OF_CLOCK, false, TOTAL(peak_time_ns), WHOLE(PEAK_TIME) },
	{ "peak_time_error_ns", LIMIT_OF_CLOCK, false, TOTAL(peak_time_error_ns),
	  WHOLE(PEAK_TIME) },
	{ "duration_ns", LIMIT_OF_CLOCK, false, TOTAL(duration_ns), NO_STACK(TIME),
	  PHASE(duration_ns), TURN(turns_ns), NO_TABLE },
	{ "temporary_ratio", LIMIT_RATIO, false, TOTAL(temporary_calls), STACK(temporary),
	  PHASE(sum.temporary), TURN(in_turns.temporary_calls), TABLE(TEMPORARY) },
	{ "rss_peak_bytes", LIMIT_RSS, true, NO_TOTAL, WHOLE(RESIDENT) },
	{ "unexplained_percent", LIMIT_UNEXPLAINED, false, NO_TOTAL, WHOLE(RESIDENT) },
};
/* clang-format on */

const struct limit_metric *limit_metric_at(size_t number)
{
	return number < sizeof(metrics) / sizeof(*metrics) ? &metrics[number] : NULL;
}

const struct limit_metric *limit_metric_find(const char *name)
{
	const struct limit_metric *metric;

	for (size_t i = 0; (metric = limit_metric_at(i)); i++)
		if (!strcmp(metric->name, name))
			return metric;
	return NULL;
}

uint64_t limit_metric_get(const void *base, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}
