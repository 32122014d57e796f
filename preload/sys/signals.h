/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All signals blocked for a short while, by the kernel's own mask so that libc's internal signals
 * are included: around every try-lock of ours and everything on a private stack (a handler that
 * leaves by siglongjmp would keep the lock for ever; a collector that scans stacks would not find
 * the thread's).
 */
#ifndef XALLOC_SYS_SIGNALS_H
#define XALLOC_SYS_SIGNALS_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/sys/syscall.h"

#define SIGNALS_SIG_BLOCK 0
#define SIGNALS_SIG_SETMASK 2

/* Instead of a mask: nothing was blocked, the call is denied. SIGKILL is in no mask. */
#define SIGNALS_UNTOUCHED (1ull << (SIGNALS_SIGKILL - 1))
#define SIGNALS_SIGKILL 9

/* So many threads are between the two: who forbids the call waits until there is none. */
extern _Atomic int signals_blocked;

static inline uint64_t signals_block(void)
{
	uint64_t all = ~0ull, before = 0;

	atomic_fetch_add(&signals_blocked, 1);
	if (sys_call4(SYS_rt_sigprocmask, SIGNALS_SIG_BLOCK, &all, &before, 8) < 0)
		before = SIGNALS_UNTOUCHED;
	return before;
}

static inline void signals_restore(uint64_t before)
{
	if (before != SIGNALS_UNTOUCHED)
		sys_call6_always(SYS_rt_sigprocmask, SIGNALS_SIG_SETMASK, (long)&before, 0, 8, 0,
				 0);
	atomic_fetch_sub(&signals_blocked, 1);
}

#endif
