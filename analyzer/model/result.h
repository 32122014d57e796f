/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one replay of a trace yields: totals, and per distinct stack what it did. Plain data, built
 * by replay_run (replay.h), read by report/. Definitions of the figures: docs of `summary --json`.
 */
#ifndef XALLOC_MODEL_RESULT_H
#define XALLOC_MODEL_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/name_pool.h"

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
	uint64_t suppressed_calls;           /* blocks that are live then, too, and not in these */
	uint64_t peak_bytes, peak_blocks;
	uint64_t peak_time_ns, peak_time_error_ns, duration_ns;
	uint64_t threads;
	uint64_t calls_malloc, calls_calloc, calls_realloc, calls_aligned, calls_new;
	uint64_t events, lost_events;
	uint64_t unseen_frees; /* blocks closed because their address was handed out again */
	/* While recording was paused: calls that gave a block, and, at any time, what gave such a
	 * block back. Neither is in the figures above. */
	uint64_t untracked_calls, untracked_frees;
	uint64_t pool_calls, pool_bytes; /* of all pools, in none of the figures above */
};

/* One distinct stack (by frame ids) that allocated at least once. */
struct stack_totals {
	uint32_t node;       /* its leaf in the stack tree: trace/stack_tree.h */
	uint32_t peak_epoch; /* replay's own */
	uint32_t phase;      /* in which it allocated: of told.phase_stack only */
	uint64_t calls, bytes, temporary;
	uint64_t live_bytes, live_blocks; /* at the end: leaked */
	uint64_t peak_bytes, peak_blocks; /* at the global peak */
};

/* Of one figure, what it grew by from one iteration mark to the next. */
struct iteration_sum {
	int64_t sum, least, most;
};

enum iteration_metric {
	ITERATION_CALLS,
	ITERATION_BYTES,
	ITERATION_TEMPORARY,
	ITERATION_FREES,
	ITERATION_LIVE, /* bytes */
	ITERATION_METRICS
};

/* What a program says of its own course: model/phases.h has the definitions. */
struct phase {
	const char *name;   /* of told.texts */
	uint64_t intervals; /* how often it began */
	uint64_t duration_ns;
	/* Of its allocations; live_bytes are those at the end of the trace, peak_bytes those at the
	 * global peak. node is 0. */
	struct stack_totals sum;
	/* What the totals grew by while it was on, and of that what belongs to its turns. Counters
	 * only: there is nothing of peaks, leaks, threads and times in them. */
	struct totals during, in_turns;
	uint64_t highest_bytes,
		highest_blocks;             /* the greatest total of live bytes while it was on */
	uint64_t bytes_before, bytes_after; /* live when it began first, when it ended last */
	uint64_t iterations;                /* marks */
	uint64_t turns;                     /* from one mark to the next within the phase */
	uint64_t turns_ns;                  /* how long they took, in all */
	struct iteration_sum turn[ITERATION_METRICS];
	size_t first_stack, stacks; /* its part of told.phase_stack */
	uint32_t text;              /* phases' own */
};

struct dump {
	uint64_t time_ns, live_bytes, live_blocks, events;
	uint64_t stamp; /* phases' own */
};

/* A heap of the program's own. */
struct pool {
	const char *name; /* of told.texts */
	uint64_t allocation_calls, allocated_bytes, reallocs, free_calls, foreign_frees;
	uint64_t peak_bytes, peak_blocks, leaked_bytes, leaked_blocks;
	struct stack_totals *stack; /* as the result's, at the pool's own peak; temporary is 0 */
	size_t stacks;
};

/* What the program told of itself. */
struct told {
	struct phase *phase; /* one, "start", when it told of none */
	size_t phases;
	/* The stacks of each phase, in the order of phases: NULL when there is one only. */
	struct stack_totals *phase_stack;
	size_t phase_stacks;
	uint64_t iterations;
	struct dump *dump;
	size_t dumps;
	uint64_t pauses, paused_ns;
	struct pool *pool;
	size_t pools;
	struct name_pool *texts; /* the names */
};

/* The phase of that name, or NULL. */
const struct phase *told_find_phase(const struct told *told, const char *name);

/* Adds to the counters of `sum` what they grew by from one moment of a replay to another. */
void totals_add_growth(struct totals *sum, const struct totals *from, const struct totals *to);
/* The totals of what is nothing but these stacks. */
struct totals totals_of_sum(const struct stack_totals *sum);

/* Adds the figures of a stack to those of another, which keeps its node. */
void stack_totals_add(struct stack_totals *sum, const struct stack_totals *stack);

#endif
