/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t seed_make(void)
{
	struct timespec now;
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec << 32 ^ (uintptr_t)&seed;
}
