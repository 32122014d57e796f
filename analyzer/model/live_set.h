/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks that are live, by address. Made for how heaps are: neighbours in memory are neighbours
 * here. A hash of regions of 1 KB, 32 bytes each, says where in them blocks are; what is known of
 * a block stands in the store, in a run of its region's blocks in their order: in 8 bytes as long
 * as all of the run are the same thread's and below 4 GiB, else in 16.
 *
 * A run has room for 1, 2, 4 ... 64 blocks, the hash is between 60 and 80 % full: at most 48 bytes
 * a block when regions hold two or more, about 15 for blocks of 100 bytes. Only where each stands
 * alone in its KB it may be 70. What becomes free is used again and not given back.
 *
 * An address that was given back is mostly handed out again soon, and given back again: in front
 * of all that stands a table of addresses that were, each with its block or the knowledge that
 * there is none. What is in front is nowhere behind.
 */
#ifndef XALLOC_MODEL_LIVE_SET_H
#define XALLOC_MODEL_LIVE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/fetch.h"
#include "analyzer/base/seed.h"
#include "analyzer/model/run_store.h"

struct block {
	uint64_t size;
	uint32_t stack, thread; /* the owner's */
};

/* The granules of a region are its 64 multiples of 16. All its addresses have the same low four
 * bits, mostly 0. */
struct live_region {
	uint64_t key;    /* 0: a free entry */
	uint64_t slots;  /* granules that have a place in the run */
	uint64_t live;   /* those where a block is live */
	uint32_t run;    /* in the store, when slots is not 0 */
	uint16_t thread; /* of all blocks in 8 bytes */
	uint8_t room;    /* the run has places for 1 << room blocks */
	uint8_t wide;    /* 1: it has 16 bytes for each */
};

#define LIVE_FRONT_BITS 11

struct live_front {
	uint64_t addr; /* 0: a free entry */
	struct block block;
	bool is_live; /* else there is no block at addr */
};

struct live_set {
	struct live_front *front;
	struct live_region *region;
	uint64_t capacity;       /* of regions */
	uint64_t regions, limit; /* it grows when regions reaches limit */
	uint64_t empty;          /* regions without a live block */
	uint64_t count;          /* of blocks */
	uint64_t seed;
	struct live_region *latest; /* most often the one that is wanted next */
	struct run_store store;
};

void live_set_init(struct live_set *set);
void live_set_release(struct live_set *set);

/* What the functions without _behind do for an address that is not in front. */
bool live_set_get_behind(struct live_set *set, uint64_t addr, struct block *block);
void live_set_remove_behind(struct live_set *set, uint64_t addr);
bool live_set_put_behind(struct live_set *set, uint64_t addr, const struct block *block,
			 struct block *old);

/* The only entry in front where addr may be. */
static inline struct live_front *live_set_front(const struct live_set *set, uint64_t addr)
{
	return &set->front[(uint32_t)(addr >> 4) * 0x9E3779B1u >> (32 - LIVE_FRONT_BITS)];
}

static inline uint64_t live_set_key(uint64_t addr)
{
	return (addr >> 10 << 4 | (addr & 15)) + 1;
}

static inline uint64_t live_set_home(const struct live_set *set, uint64_t key)
{
	return (uint64_t)((unsigned __int128)seed_hash(set->seed, key) * set->capacity >> 64);
}

static inline uint64_t live_set_granule(uint64_t addr)
{
	return UINT64_C(1) << (addr >> 4 & 63);
}

/* NULL, or the region of that key. */
static inline struct live_region *live_set_region(struct live_set *set, uint64_t key)
{
	struct live_region *region = set->latest;

	if (region->key == key)
		return region;
	region = &set->region[live_set_home(set, key)];
	while (region->key != key) {
		if (!region->key)
			return NULL;
		if (++region == set->region + set->capacity)
			region = set->region;
	}
	set->latest = region;
	return region;
}

/* How many bits are set. Most processors can do it at once, but not all that we are built for. */
static inline uint32_t live_set_bits(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
	return (uint32_t)(x * 0x0101010101010101 >> 56);
}

/* Of a granule that has one: the number of its place in the store. */
static inline uint32_t live_set_place(const struct live_region *region, uint64_t granule)
{
	return region->run + (live_set_bits(region->slots & (granule - 1)) << region->wide);
}

static inline void live_set_read(const struct live_set *set, const struct live_region *region,
				 uint64_t granule, struct block *block)
{
	const struct run_place *place = run_store_at(&set->store, live_set_place(region, granule));

	block->size = place->size;
	block->stack = place->stack;
	block->thread = region->thread;
	if (__builtin_expect(region->wide, 0)) {
		block->size |= (uint64_t)place[1].size << 32;
		block->thread = place[1].stack;
	}
}

/* addr is never 0. */
static inline bool live_set_get(struct live_set *set, uint64_t addr, struct block *block)
{
	const struct live_front *front = live_set_front(set, addr);

	if (front->addr != addr)
		return live_set_get_behind(set, addr, block);
	*block = front->block;
	return front->is_live;
}

/* There may be a block: then it is replaced, *old is what it was and the result true. */
static inline bool live_set_put(struct live_set *set, uint64_t addr, const struct block *block,
				struct block *old)
{
	struct live_front *front = live_set_front(set, addr);
	const bool is_there = front->is_live;

	if (front->addr != addr)
		return live_set_put_behind(set, addr, block, old);
	*old = front->block;
	front->block = *block;
	front->is_live = true;
	set->count += !is_there;
	return is_there;
}

/* There must be one. */
static inline void live_set_remove(struct live_set *set, uint64_t addr)
{
	struct live_front *front = live_set_front(set, addr);

	if (front->addr != addr)
		live_set_remove_behind(set, addr);
	else
		front->is_live = false;
	set->count--;
}

/* Is it larger than what is near at hand, so that it pays to fetch ahead? */
static inline bool live_set_is_large(const struct live_set *set)
{
	return set->capacity > 4096;
}

/* addr will be looked for soon. First this for some addresses, then live_set_fetch for the same. */
static inline void live_set_fetch_region(const struct live_set *set, uint64_t addr)
{
	if (live_set_front(set, addr)->addr != addr)
		fetch_line(&set->region[live_set_home(set, live_set_key(addr))]);
}

static inline void live_set_fetch(const struct live_set *set, uint64_t addr)
{
	const uint64_t key = live_set_key(addr);
	const struct live_region *region = &set->region[live_set_home(set, key)];

	if (region->key == key && region->slots) /* most are at home */
		fetch_line(
			run_store_at(&set->store, live_set_place(region, live_set_granule(addr))));
}

#endif
