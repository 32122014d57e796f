/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one replay of a trace yields: totals, and per distinct stack what it did. Plain data, built
 * by replay_run (replay.h), read by report/. Definitions of the figures: docs of `summary --json`.
 */
#ifndef XALLOC_MODEL_RESULT_H
#define XALLOC_MODEL_RESULT_H

#include <stdint.h>

enum metric {
	METRIC_PEAK,
	METRIC_CALLS,
	METRIC_BYTES,
	METRIC_LEAKED,
	METRIC_TEMPORARY,
	METRIC_COUNT
};

struct totals {
	uint64_t allocation_calls, allocated_bytes;
	uint64_t free_calls, foreign_frees, failed_calls;
	/* How blocks ended, by a free or by a realloc. Together with unseen_frees and leaked_calls
	 * as many as allocation_calls. */
	uint64_t freed_blocks, realloc_frees;
	uint64_t temporary_calls;
	uint64_t leaked_calls, leaked_bytes; /* blocks and bytes live at the end */
	uint64_t peak_bytes, peak_blocks;
	uint64_t peak_time_ns, peak_time_error_ns, duration_ns;
	uint64_t threads;
	uint64_t calls_malloc, calls_calloc, calls_realloc, calls_aligned, calls_new;
	uint64_t events, lost_events;
	uint64_t unseen_frees; /* blocks closed because their address was handed out again */
};

/* One distinct stack (by frame ids) that allocated at least once. */
struct stack_totals {
	uint32_t node;       /* its leaf in the stack tree: trace/stack_tree.h */
	uint32_t peak_epoch; /* replay's own */
	uint64_t calls, bytes, temporary;
	uint64_t live_bytes, live_blocks; /* at the end: leaked */
	uint64_t peak_bytes, peak_blocks; /* at the global peak */
};

/* Adds the figures of a stack to those of another, which keeps its node. */
void stack_totals_add(struct stack_totals *sum, const struct stack_totals *stack);

#endif
