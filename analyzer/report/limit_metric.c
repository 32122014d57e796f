/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/limit_metric.h"

#include <string.h>

#define TOTAL(m) .total = offsetof(struct totals, m)
#define STACK(m) .stack = offsetof(struct stack_totals, m)
#define PHASE(m) .phase = offsetof(struct phase, m)
#define NO_TOTAL .total = LIMIT_NOWHERE
#define NO_STACK .stack = LIMIT_NOWHERE
#define NO_PHASE .phase = LIMIT_NOWHERE
#define NO_TURN .turn = -1
#define NO_TABLE .table = METRIC_COUNT

/* clang-format off */
static const struct limit_metric metrics[] = {
	{ "allocation_calls", LIMIT_OF_TRACE, false, TOTAL(allocation_calls), STACK(calls),
	  PHASE(sum.calls), .turn = ITERATION_CALLS, .table = METRIC_CALLS },
	{ "allocated_bytes", LIMIT_OF_TRACE, true, TOTAL(allocated_bytes), STACK(bytes),
	  PHASE(sum.bytes), .turn = ITERATION_BYTES, .table = METRIC_BYTES },
	{ "peak_bytes", LIMIT_OF_TRACE, true, TOTAL(peak_bytes), STACK(peak_bytes),
	  PHASE(highest_bytes), NO_TURN, .table = METRIC_PEAK },
	{ "peak_blocks", LIMIT_OF_TRACE, false, TOTAL(peak_blocks), STACK(peak_blocks),
	  PHASE(highest_blocks), NO_TURN, .table = METRIC_PEAK },
	{ "leaked_bytes", LIMIT_OF_TRACE, true, TOTAL(leaked_bytes), STACK(live_bytes),
	  PHASE(sum.live_bytes), NO_TURN, .table = METRIC_LEAKED },
	{ "leaked_calls", LIMIT_OF_TRACE, false, TOTAL(leaked_calls), STACK(live_blocks),
	  PHASE(sum.live_blocks), NO_TURN, .table = METRIC_LEAKED },
	{ "temporary_calls", LIMIT_OF_TRACE, false, TOTAL(temporary_calls), STACK(temporary),
	  PHASE(sum.temporary), .turn = ITERATION_TEMPORARY, .table = METRIC_TEMPORARY },
	{ "free_calls", LIMIT_OF_TRACE, false, TOTAL(free_calls), NO_STACK,
	  PHASE(free_calls), .turn = ITERATION_FREES, NO_TABLE },
	{ "foreign_frees", LIMIT_OF_TRACE, false, TOTAL(foreign_frees), NO_STACK,
	  PHASE(foreign_frees), NO_TURN, NO_TABLE },
	{ "failed_calls", LIMIT_OF_TRACE, false, TOTAL(failed_calls), NO_STACK,
	  PHASE(failed_calls), NO_TURN, NO_TABLE },
	{ "threads", LIMIT_OF_TRACE, false, TOTAL(threads), NO_STACK, NO_PHASE, NO_TURN,
	  NO_TABLE },
	{ "untracked_calls", LIMIT_OF_TRACE, false, TOTAL(untracked_calls), NO_STACK,
	  PHASE(untracked_calls), NO_TURN, NO_TABLE },
	{ "untracked_frees", LIMIT_OF_TRACE, false, TOTAL(untracked_frees), NO_STACK,
	  PHASE(untracked_frees), NO_TURN, NO_TABLE },
	{ "unseen_frees", LIMIT_OF_TRACE, false, TOTAL(unseen_frees), NO_STACK, NO_PHASE, NO_TURN,
	  NO_TABLE },
	{ "freed_blocks", LIMIT_OF_TRACE, false, TOTAL(freed_blocks), NO_STACK, NO_PHASE, NO_TURN,
	  NO_TABLE },
	{ "realloc_frees", LIMIT_OF_TRACE, false, TOTAL(realloc_frees), NO_STACK, NO_PHASE,
	  NO_TURN, NO_TABLE },
	{ "events", LIMIT_OF_TRACE, false, TOTAL(events), NO_STACK, NO_PHASE, NO_TURN, NO_TABLE },
	{ "live_bytes", LIMIT_OF_TRACE, true, NO_TOTAL, NO_STACK, NO_PHASE,
	  .turn = ITERATION_LIVE, NO_TABLE },
	{ "peak_time_ns", LIMIT_OF_CLOCK, false, TOTAL(peak_time_ns), NO_STACK, NO_PHASE, NO_TURN,
	  NO_TABLE },
	{ "peak_time_error_ns", LIMIT_OF_CLOCK, false, TOTAL(peak_time_error_ns), NO_STACK,
	  NO_PHASE, NO_TURN, NO_TABLE },
	{ "duration_ns", LIMIT_OF_CLOCK, false, TOTAL(duration_ns), NO_STACK, PHASE(duration_ns),
	  NO_TURN, NO_TABLE },
	{ "temporary_ratio", LIMIT_RATIO, false, TOTAL(temporary_calls), STACK(temporary),
	  PHASE(sum.temporary), NO_TURN, .table = METRIC_TEMPORARY },
	{ "rss_peak_bytes", LIMIT_RSS, true, NO_TOTAL, NO_STACK, NO_PHASE, NO_TURN, NO_TABLE },
	{ "unexplained_percent", LIMIT_UNEXPLAINED, false, NO_TOTAL, NO_STACK, NO_PHASE, NO_TURN,
	  NO_TABLE },
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
