/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All signals blocked for a short while, by the kernel's own mask so that libc's internal signals
 * are included: around every try-lock of ours and everything on a private stack (a handler that
 * leaves by siglongjmp would keep the lock for ever; a collector that scans stacks would not find
 * the thread's).
 */
#ifndef XALLOC_SYS_SIGNALS_H
#define XALLOC_SYS_SIGNALS_H

#include <stdint.h>

#include "preload/sys/syscall.h"

#define SIGNALS_SIG_BLOCK 0
#define SIGNALS_SIG_SETMASK 2

static inline uint64_t signals_block(void)
{
	uint64_t all = ~0ull, before = 0;

	sys_call4(SYS_rt_sigprocmask, SIGNALS_SIG_BLOCK, &all, &before, 8);
	return before;
}

static inline void signals_restore(uint64_t before)
{
	sys_call4(SYS_rt_sigprocmask, SIGNALS_SIG_SETMASK, &before, 0, 8);
}

#endif
