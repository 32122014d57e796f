/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/live_set.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define FIRST_CAPACITY 1024u

static uint64_t limit_of(uint64_t capacity)
{
	return capacity / 10 * 7;
}

void live_set_init(struct live_set *set)
{
	*set = (struct live_set){ .capacity = FIRST_CAPACITY, .limit = limit_of(FIRST_CAPACITY) };
	set->entry = xcalloc(set->capacity, sizeof(*set->entry));
	set->seed = seed_make();
}

void live_set_release(struct live_set *set)
{
	free(set->entry);
	*set = (struct live_set){ 0 };
}

static inline uint64_t next_of(const struct live_set *set, uint64_t at)
{
	return at + 1 == set->capacity ? 0 : at + 1;
}

struct block *live_set_find(const struct live_set *set, uint64_t addr)
{
	uint64_t at = live_set_home(set, addr);

	while (set->entry[at].addr) {
		if (set->entry[at].addr == addr)
			return &set->entry[at];
		at = next_of(set, at);
	}
	return NULL;
}

static struct block *free_entry(const struct live_set *set, uint64_t addr)
{
	uint64_t at = live_set_home(set, addr);

	while (set->entry[at].addr)
		at = next_of(set, at);
	return &set->entry[at];
}

/* Entries on their way from an old place to a new one. */
struct moving {
	struct block *block;
	size_t count, capacity;
};

static void take(struct moving *moving, struct block *entry)
{
	if (moving->count == moving->capacity) {
		moving->capacity = moving->capacity ? moving->capacity * 2 : 64;
		moving->block = xreallocarray(moving->block, moving->capacity, sizeof(*entry));
	}
	moving->block[moving->count++] = *entry;
	entry->addr = 0;
}

static void put(const struct live_set *set, struct moving *moving)
{
	for (size_t i = 0; i < moving->count; i++)
		*free_entry(set, moving->block[i].addr) = moving->block[i];
	moving->count = 0;
}

/*
 * In place, for a second table would double the memory for a moment. An entry's home only moves up
 * when the capacity grows (it is the hash's share of it). So runs of entries are moved from the top
 * down: none can land below the run it was in, where entries still wait for their turn. Only
 * entries that had wrapped around could, or wrap again; they are in the run that begins the table,
 * the last one.
 */
static void grow(struct live_set *set)
{
	const uint64_t old = set->capacity, capacity = old + old / 3;
	struct moving run = { 0 };

	set->entry = xrealloclarge(set->entry, capacity, sizeof(*set->entry));
	memset(set->entry + old, 0, (capacity - old) * sizeof(*set->entry));
	set->capacity = capacity;
	set->limit = limit_of(capacity);
	for (uint64_t at = old; at; at--) {
		if (set->entry[at - 1].addr)
			take(&run, &set->entry[at - 1]);
		else
			put(set, &run);
	}
	put(set, &run);
	free(run.block);
}

struct block *live_set_add(struct live_set *set, uint64_t addr)
{
	struct block *entry;

	if (set->count >= set->limit)
		grow(set);
	entry = free_entry(set, addr);
	entry->addr = addr;
	set->count++;
	return entry;
}

static inline uint64_t distance(const struct live_set *set, uint64_t from, uint64_t to)
{
	return to >= from ? to - from : to + set->capacity - from;
}

void live_set_remove(struct live_set *set, struct block *block)
{
	uint64_t hole = (uint64_t)(block - set->entry), at = hole;

	/* Close the gap, so that a search may stop at the first free entry. */
	for (;;) {
		uint64_t home;

		at = next_of(set, at);
		if (!set->entry[at].addr)
			break;
		home = live_set_home(set, set->entry[at].addr);
		if (distance(set, home, at) >= distance(set, hole, at)) {
			set->entry[hole] = set->entry[at];
			hole = at;
		}
	}
	set->entry[hole].addr = 0;
	set->count--;
}
