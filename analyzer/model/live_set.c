/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/live_set.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define FIRST_CAPACITY 256u

static void set_capacity(struct live_set *set, uint64_t capacity)
{
	set->capacity = capacity;
	set->limit = capacity / 5 * 4;
	set->region = mem_map(capacity * sizeof(*set->region), true);
	set->latest = set->region;
}

void live_set_init(struct live_set *set)
{
	*set = (struct live_set){ .seed = seed_make() };
	set_capacity(set, FIRST_CAPACITY);
	set->front = xcalloc((size_t)1 << LIVE_FRONT_BITS, sizeof(*set->front));
	run_store_init(&set->store);
}

void live_set_release(struct live_set *set)
{
	mem_unmap(set->region, set->capacity * sizeof(*set->region));
	run_store_release(&set->store);
	free(set->front);
	*set = (struct live_set){ 0 };
}

static struct live_region *free_entry(const struct live_set *set, uint64_t key)
{
	uint64_t at = live_set_home(set, key);

	while (set->region[at].key)
		at = at + 1 == set->capacity ? 0 : at + 1;
	return &set->region[at];
}

static void give_run(struct live_set *set, struct live_region *region)
{
	if (region->slots)
		run_store_give(&set->store, region->run, region->room + region->wide);
	region->slots = 0;
}

/* To a new table without the empty regions; a larger one, unless those are many. */
static void renew(struct live_set *set)
{
	struct live_region *const old = set->region;
	const uint64_t capacity = set->capacity;

	set_capacity(set, set->empty > set->regions / 4 ? capacity : capacity + capacity / 3);
	set->regions -= set->empty;
	set->empty = 0;
	for (uint64_t i = 0; i < capacity; i++) {
		if (old[i].live)
			*free_entry(set, old[i].key) = old[i];
		else
			give_run(set, &old[i]);
	}
	mem_unmap(old, capacity * sizeof(*old));
}

static struct live_region *make_region(struct live_set *set, uint64_t key)
{
	struct live_region *region;

	if (set->regions >= set->limit)
		renew(set);
	region = free_entry(set, key);
	region->key = key;
	set->regions++;
	set->empty++;
	set->latest = region;
	return region;
}

/* To a run of that room and width, what is not live left out. */
static void move(struct live_set *set, struct live_region *region, uint32_t room, uint32_t wide)
{
	const struct live_region old = *region;
	const struct run_place *from = run_store_at(&set->store, old.run);
	struct run_place *to;

	region->room = (uint8_t)room;
	region->wide = (uint8_t)wide;
	if (room + wide != (uint32_t)old.room + old.wide)
		region->run = run_store_take(&set->store, room + wide);
	to = run_store_at(&set->store, region->run);
	for (uint64_t left = old.slots; left; left &= left - 1, from += 1 << old.wide) {
		if (!(old.live & left & -left))
			continue;
		*to++ = from[0];
		if (wide)
			*to++ = old.wide ? from[1] : (struct run_place){ 0, old.thread };
	}
	region->slots = region->live;
	if (region->run != old.run)
		run_store_give(&set->store, old.run, old.room + old.wide);
}

/* A place for a granule that has none, among the others. */
static void insert(struct live_set *set, struct live_region *region, uint64_t granule)
{
	const uint32_t used = live_set_bits(region->slots);
	struct run_place *place;

	if (used == 1u << region->room)
		move(set, region, region->room + (region->live == region->slots), region->wide);
	place = run_store_at(&set->store, live_set_place(region, granule));
	memmove(place + (1 << region->wide), place,
		(live_set_bits(region->slots & -granule) << region->wide) * sizeof(*place));
	region->slots |= granule;
}

/* The first block of a region that has none. */
static void begin(struct live_set *set, struct live_region *region, uint32_t thread)
{
	set->empty--;
	region->thread = (uint16_t)thread;
	if (region->slots)
		return;
	region->room = 0;
	region->wide = 0;
	region->run = run_store_take(&set->store, 0);
}

/* True: there was a block, which is replaced; then *old is what it was. */
static bool put(struct live_set *set, uint64_t addr, const struct block *block, struct block *old)
{
	const uint64_t key = live_set_key(addr), granule = live_set_granule(addr);
	struct live_region *region = live_set_region(set, key);
	struct run_place *place;
	bool is_there;

	if (!region)
		region = make_region(set, key);
	is_there = region->live & granule;
	if (is_there)
		live_set_read(set, region, granule, old);
	if (!region->live)
		begin(set, region, block->thread);
	if (!region->wide && (block->thread != region->thread || block->size > UINT32_MAX))
		move(set, region, region->room, 1);
	if (!(region->slots & granule))
		insert(set, region, granule);
	region->live |= granule;
	place = run_store_at(&set->store, live_set_place(region, granule));
	place->size = (uint32_t)block->size;
	place->stack = block->stack;
	if (region->wide)
		place[1] = (struct run_place){ (uint32_t)(block->size >> 32), block->thread };
	return is_there;
}

bool live_set_put_behind(struct live_set *set, uint64_t addr, const struct block *block,
			 struct block *old)
{
	const bool is_there = put(set, addr, block, old);

	set->count += !is_there;
	return is_there;
}

bool live_set_get_behind(struct live_set *set, uint64_t addr, struct block *block)
{
	const uint64_t granule = live_set_granule(addr);
	const struct live_region *region = live_set_region(set, live_set_key(addr));

	if (!region || !(region->live & granule))
		return false;
	live_set_read(set, region, granule, block);
	return true;
}

void live_set_remove_behind(struct live_set *set, uint64_t addr)
{
	struct live_front *front = live_set_front(set, addr);
	struct live_region *region = live_set_region(set, live_set_key(addr));
	struct block none;

	region->live &= ~live_set_granule(addr);
	if (!region->live) {
		set->empty++;
		if (region->room > 1)
			give_run(set, region);
	} else if (region->room > 1 && live_set_bits(region->live) == 1u << (region->room - 2)) {
		move(set, region, region->room - 1u, region->wide);
	}
	if (front->is_live)
		put(set, front->addr, &front->block, &none);
	*front = (struct live_front){ .addr = addr };
}
