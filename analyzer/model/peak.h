/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The greatest total of live bytes, and what each stack held then, at O(1) a step. A stack's value
 * at the latest peak is its live value, until it changes: then it is saved first. A new peak makes
 * all saved values stale at once, by one increment of the epoch.
 */
#ifndef XALLOC_MODEL_PEAK_H
#define XALLOC_MODEL_PEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"

struct peak {
	uint64_t live_bytes, live_blocks;
	uint64_t bytes, blocks; /* at the first instant of the greatest total */
	uint64_t recent_bytes, recent_blocks; /* the same since somebody set these */
	uint32_t epoch; /* a stack whose peak_epoch is this has its value at the peak saved */
};

/* A new stack_totals, all 0, belongs to no epoch. */
static inline void peak_init(struct peak *peak)
{
	*peak = (struct peak){ .epoch = 1 };
}

static inline void peak_save(const struct peak *peak, struct stack_totals *stack)
{
	if (stack->peak_epoch == peak->epoch)
		return;
	stack->peak_epoch = peak->epoch;
	stack->peak_bytes = stack->live_bytes;
	stack->peak_blocks = stack->live_blocks;
}

static inline void peak_add(struct peak *peak, struct stack_totals *stack, uint64_t bytes)
{
#if XALLOC_FAULT == 2
	peak->epoch += peak->live_bytes + bytes > peak->bytes;
#endif
	peak_save(peak, stack);
	stack->live_bytes += bytes;
	stack->live_blocks++;
	peak->live_bytes += bytes;
	peak->live_blocks++;
}

static inline void peak_remove(struct peak *peak, struct stack_totals *stack, uint64_t bytes)
{
	peak_save(peak, stack);
	stack->live_bytes -= bytes;
	stack->live_blocks--;
	peak->live_bytes -= bytes;
	peak->live_blocks--;
}

/* The slow part of peak_step. */
void peak_next_epoch(struct peak *peak, struct stack_totals *stack, size_t stacks);

/* After all adds and removes of one step: is this a new peak? */
static inline bool peak_step(struct peak *peak, struct stack_totals *stack, size_t stacks)
{
	if (peak->live_bytes > peak->recent_bytes) {
		peak->recent_bytes = peak->live_bytes;
		peak->recent_blocks = peak->live_blocks;
	}
#if XALLOC_FAULT == 1
	if (peak->live_bytes < peak->bytes)
#else
	if (peak->live_bytes <= peak->bytes)
#endif
		return false;
	peak->bytes = peak->live_bytes;
	peak->blocks = peak->live_blocks;
#if XALLOC_FAULT == 2
	return true;
#endif
	if (__builtin_expect(++peak->epoch == 0, 0))
		peak_next_epoch(peak, stack, stacks);
	return true;
}

/* At the end: every stack's peak_bytes and peak_blocks are those at the peak. */
void peak_settle(const struct peak *peak, struct stack_totals *stack, size_t stacks);

#endif
