/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/unwinder.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#define DEPTH_MAX 1024

static uint64_t frames;

void unwinder_init(void)
{
	unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_PER_THREAD);
}

void unwinder_event(void)
{
	static void *pcs[DEPTH_MAX];
	int n = unw_backtrace(pcs, DEPTH_MAX);

	/* the first is in this function */
	frames += n > 0 ? (uint64_t)n - 1 : 0;
}

uint64_t unwinder_frames(void)
{
	return frames;
}
