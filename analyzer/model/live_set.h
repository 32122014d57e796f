/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks that are live, by address: an open-addressing hash of 24 bytes an entry, kept between
 * 52 and 70 % full, so at most 46 bytes a block. It grows in place and does not shrink.
 */
#ifndef XALLOC_MODEL_LIVE_SET_H
#define XALLOC_MODEL_LIVE_SET_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/seed.h"

struct block {
	uint64_t addr; /* 0: a free entry */
	uint64_t size;
	uint32_t stack, thread; /* the owner's */
};

struct live_set {
	struct block *entry;
	uint64_t capacity;
	uint64_t count, limit; /* it grows when count reaches limit */
	uint64_t seed;
};

void live_set_init(struct live_set *set);
void live_set_release(struct live_set *set);

/* NULL if there is none. Valid until the next add or remove. addr is never 0. */
struct block *live_set_find(const struct live_set *set, uint64_t addr);
/* A new entry with that address for the caller to fill. There must be none yet. */
struct block *live_set_add(struct live_set *set, uint64_t addr);
/* block is what find or add returned. */
void live_set_remove(struct live_set *set, struct block *block);

static inline uint64_t live_set_home(const struct live_set *set, uint64_t addr)
{
	return (uint64_t)((unsigned __int128)seed_hash(set->seed, addr) * set->capacity >> 64);
}

/* addr will be looked for soon. */
static inline void live_set_prefetch(const struct live_set *set, uint64_t addr)
{
	__builtin_prefetch(&set->entry[live_set_home(set, addr)]);
}

#endif
