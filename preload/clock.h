/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps: the TSC where it is invariant and the kernel's clock source, else a counter that is
 * incremented at each reading: a total order, no time. Chosen once at start.
 */
#ifndef XALLOC_CLOCK_H
#define XALLOC_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/sys/hidden.h"
#include "preload/trace/format.h"

#define CLOCK_TSC_SHIFT \
	4 /* about 5 ns on a 3 GHz clock: below the hand-over of a block between cores */

/* The counter's: TSC stamps that are no further apart than XT_STAMP_ERROR do not tell which was
 * first, and one trace may have both. */
#define CLOCK_COUNTER_STEP (2 * XT_STAMP_ERROR)

extern HIDDEN int clock_is_tsc;
extern HIDDEN _Atomic uint64_t clock_counter;

void clock_choose(void);

/* The TSC may be read no more: a counter goes on from where it is. Returns 0 when it was not used.
 */
int clock_leave_tsc(void);

/* Can the time be asked? */
int clock_can_tell(void);

/*
 * rdtscp, not rdtsc: that one may run ahead of the loads before it, and then a block seems to be
 * handed out before it was freed, or freed before it was handed out (docs/architecture.md,
 * "Stamps").
 */
static inline uint64_t clock_stamp(void)
{
	uint64_t low, high;

	if (__builtin_expect(clock_is_tsc, 1)) {
		__asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx"); /* the processor */
		return (high << 32 | low) >> CLOCK_TSC_SHIFT;
	}
	return atomic_fetch_add_explicit(&clock_counter, CLOCK_COUNTER_STEP, memory_order_relaxed) +
	       CLOCK_COUNTER_STEP;
}

/* The same where there is one thread, which has its own order: no load is waited for. */
static inline uint64_t clock_stamp_alone(void)
{
	return __builtin_expect(clock_is_tsc, 1) ? __builtin_ia32_rdtsc() >> CLOCK_TSC_SHIFT
						 : clock_stamp();
}

static inline uint64_t clock_shift(void)
{
	return clock_is_tsc ? CLOCK_TSC_SHIFT : 0;
}

/* A stamp and CLOCK_MONOTONIC read together; ns_error is half the time that the reading took. */
struct xt_clock_pair clock_pair(void);
uint64_t clock_realtime_ns(void);
uint64_t clock_ns(void); /* CLOCK_MONOTONIC */

#endif
