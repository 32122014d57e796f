/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds of hash tables. */
#ifndef XALLOC_BASE_SEED_H
#define XALLOC_BASE_SEED_H

#include <stdint.h>

/* Another one each time, so that no trace can be made whose keys collide. */
uint64_t seed_make(void);

/* A key and a seed to 64 bits of which all are fit for use. */
static inline uint64_t seed_hash(uint64_t seed, uint64_t key)
{
	uint64_t x = (key ^ seed) * 0x9E3779B97F4A7C15u;

	return (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
}

#endif
