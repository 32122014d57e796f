/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks that are live, by address. Made for how heaps are: neighbours in memory are neighbours
 * here. A hash finds a group of 16 pages of 4 KB, whose entries of 8 bytes say which cells are a
 * page's: a run of 1, 2, 4 ... 256 of 8 bytes, one for each block. The home of a block is the cell
 * where it would be if the run were the page; where another has that, it stands in any of the line
 * of eight cells, which one look searches. A line that is full makes the run twice as large, unless
 * not half of that has a block: then it stands in another line of the run.
 *
 * So a block has 8 to 32 bytes, and 16 more where it does not fit its cell; a group has 150 to 207:
 * together about 13 a block of 80 bytes, and at most 48 where a page in four has one. What becomes
 * free is used again and not given back.
 */
#ifndef XALLOC_MODEL_LIVE_SET_H
#define XALLOC_MODEL_LIVE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/fetch.h"
#include "analyzer/base/seed.h"
#include "analyzer/model/live_line.h"
#include "analyzer/model/run_store.h"

struct block {
	uint64_t size;
	uint32_t stack, thread; /* the owner's */
};

/* The granules of a page are its 256 multiples of 16. All addresses of a group have the same low
 * four bits, mostly 0. */
#define LIVE_GRANULE_BITS 8
struct live_page {
	uint32_t run;        /* the number of its first cell in the store */
	uint16_t live;       /* blocks */
	uint8_t room : 6;    /* of 1 << room cells */
	bool has_run : 1;    /* else none yet, or it was taken away, for no block was there */
	bool is_spilled : 1; /* there may be blocks in other lines than their homes */
	uint8_t moved; /* bit i: in line i modulo 8 there may be blocks not where they would be */
};

#define LIVE_PAGE_BITS 4
struct live_group {
	struct live_page page[1 << LIVE_PAGE_BITS];
};

struct live_entry {
	uint64_t key;   /* 0: a free entry */
	uint32_t group; /* its number */
};

/* A group that was found is found again here, by the lowest bits of its place, before another one
 * of the same bits was looked for. */
#define LIVE_NEAR 256u
struct live_near {
	uint64_t key; /* 0: none */
	struct live_group *group;
};

/* A cell: 0, or from its lowest bits on its tag, then size, stack and thread. What does not fit has
 * LIVE_WIDE instead, and behind the tag the number of an entry in live_set.wide. */
#define LIVE_SIZE_BITS 23
#define LIVE_STACK_BITS 20
#define LIVE_THREAD_BITS 11
#define LIVE_WIDE (UINT64_C(1) << 63)

struct live_set {
	struct live_entry *entry;
	struct live_group *group;
	uint64_t capacity;      /* of entries */
	uint32_t groups, limit; /* it is renewed when groups reaches limit */
	uint64_t idle;          /* cells of pages without a live block */
	uint64_t count;         /* of blocks */
	uint64_t seed;
	struct live_near near[LIVE_NEAR]; /* groups that were looked for lately */
	struct run_store store;
	struct block *wide;
	uint32_t wides, wide_room;
	uint32_t wide_free; /* the first of a list through size: its number + 1; 0: none */
};

/* Where a block is; cell is NULL where none is, page where none of that group ever was. Valid until
 * the next put. */
struct live_place {
	struct live_page *page;
	uint64_t *cell;
};

void live_set_init(struct live_set *set);
void live_set_release(struct live_set *set);

/* For the inline functions: the group of a key, which is near then, or NULL; a cell for addr, which
 * has none, in its page (NULL: none); the cell of a tag that is not at home; the part of a cell for
 * a block that does not fit; that is no more. */
struct live_group *live_set_far(struct live_set *set, uint64_t key);
uint64_t *live_set_add(struct live_set *set, struct live_page *page, uint64_t addr);
uint64_t *live_set_find_moved(const struct live_set *set, const struct live_page *page,
			      uint32_t tag);
uint64_t live_set_pack_wide(struct live_set *set, struct block block);
void live_set_give_wide(struct live_set *set, uint64_t cell);

static inline uint64_t live_set_key(uint64_t addr)
{
	return (addr >> (4 + LIVE_GRANULE_BITS + LIVE_PAGE_BITS) << 4 | (addr & 15)) + 1;
}

static inline uint32_t live_set_page_of(uint64_t addr)
{
	return addr >> (4 + LIVE_GRANULE_BITS) & ((1u << LIVE_PAGE_BITS) - 1);
}

/* The granule, and one more: 0 is no block's. */
static inline uint32_t live_set_tag(uint64_t addr)
{
	return (addr >> 4 & ((1u << LIVE_GRANULE_BITS) - 1)) + 1;
}

/* The lowest address of an entry's page, and how far behind that a cell's block is. */
static inline uint64_t live_set_start_of(const struct live_entry *entry, uint32_t page)
{
	const uint64_t key = entry->key - 1;

	return (key >> 4 << LIVE_PAGE_BITS | page) << (4 + LIVE_GRANULE_BITS) | (key & 15);
}

static inline uint64_t live_set_offset_of(uint64_t cell)
{
	return ((cell & LIVE_TAG_MASK) - 1) << 4;
}

static inline struct live_entry *live_set_home(const struct live_set *set, uint64_t key)
{
	return &set->entry[(unsigned __int128)seed_hash(set->seed, key) * set->capacity >> 64];
}

/* NULL, or the page of an address. */
static inline struct live_page *live_set_page(struct live_set *set, uint64_t addr)
{
	const uint64_t key = live_set_key(addr);
	const struct live_near *const near = &set->near[(key >> 4) % LIVE_NEAR];
	struct live_group *const group = near->key == key ? near->group : live_set_far(set, key);

	return group ? &group->page[live_set_page_of(addr)] : NULL;
}

static inline uint64_t *live_set_run(const struct live_set *set, const struct live_page *page)
{
	return run_store_at(&set->store, page->run);
}

/* The number in its run of the cell where a tag would be if the run were the page. */
static inline uint32_t live_set_at(const struct live_page *page, uint32_t tag)
{
	return (tag - 1) << page->room >> LIVE_GRANULE_BITS;
}

/* addr is never 0. */
static inline struct live_place live_set_find(struct live_set *set, uint64_t addr)
{
	struct live_page *const page = live_set_page(set, addr);
	const uint32_t tag = live_set_tag(addr);
	uint64_t *cell;

	if (!page || !page->has_run)
		return (struct live_place){ page, NULL };
	/* Mostly it is at home, and who can guess that need not wait for the cell. */
	cell = live_set_run(set, page) + live_set_at(page, tag);
	if ((*cell & LIVE_TAG_MASK) != tag)
		cell = page->moved ? live_set_find_moved(set, page, tag) : NULL;
	return (struct live_place){ page, cell };
}

static inline struct block live_set_read(const struct live_set *set, uint64_t cell)
{
	const uint64_t what = cell >> LIVE_TAG_BITS;

	if (__builtin_expect(cell & LIVE_WIDE, 0))
		return set->wide[(uint32_t)what];
	return (struct block){ what & ((1u << LIVE_SIZE_BITS) - 1),
			       what >> LIVE_SIZE_BITS & ((1u << LIVE_STACK_BITS) - 1),
			       what >> (LIVE_SIZE_BITS + LIVE_STACK_BITS) &
				       ((1u << LIVE_THREAD_BITS) - 1) };
}

static inline uint64_t live_set_pack(struct live_set *set, uint32_t tag, const struct block *block)
{
	if (__builtin_expect(block->size >> LIVE_SIZE_BITS || block->stack >> LIVE_STACK_BITS ||
				     block->thread >> LIVE_THREAD_BITS,
			     0))
		return live_set_pack_wide(set, *block) | tag;
	return tag | (block->size | (uint64_t)block->stack << LIVE_SIZE_BITS |
		      (uint64_t)block->thread << (LIVE_SIZE_BITS + LIVE_STACK_BITS))
			     << LIVE_TAG_BITS;
}

/* The block at a place that was found is no more. */
static inline void live_set_drop(struct live_set *set, struct live_place place)
{
	struct live_page *const page = place.page;

	if (__builtin_expect(*place.cell & LIVE_WIDE, 0))
		live_set_give_wide(set, *place.cell);
	*place.cell = 0;
	set->count--;
	if (--page->live)
		return;
	page->is_spilled = false;
	page->moved = 0;
	set->idle += UINT64_C(1) << page->room;
}

static inline bool live_set_get(struct live_set *set, uint64_t addr, struct block *block)
{
	const struct live_place place = live_set_find(set, addr);

	if (place.cell)
		*block = live_set_read(set, *place.cell);
	return place.cell;
}

/* live_set_add, which mostly is this. */
static inline uint64_t *live_set_new(struct live_set *set, struct live_page *page, uint64_t addr)
{
	uint64_t *cell;

	if (!page || !page->has_run)
		return live_set_add(set, page, addr);
	cell = live_set_run(set, page) + live_set_at(page, live_set_tag(addr));
	if (*cell)
		return live_set_add(set, page, addr);
	if (!page->live++)
		set->idle -= UINT64_C(1) << page->room;
	set->count++;
	return cell;
}

/* There may be a block: then it is replaced, *old is what it was and the result true. */
static inline __attribute__((always_inline)) bool
live_set_put(struct live_set *set, uint64_t addr, const struct block *block, struct block *old)
{
	struct live_place place = live_set_find(set, addr);
	const bool is_there = place.cell;

	if (__builtin_expect(is_there, 0)) {
		*old = live_set_read(set, *place.cell);
		if (*place.cell & LIVE_WIDE)
			live_set_give_wide(set, *place.cell);
	} else {
		place.cell = live_set_new(set, place.page, addr);
	}
	*place.cell = live_set_pack(set, live_set_tag(addr), block);
	return is_there;
}

/* There must be one. */
static inline void live_set_remove(struct live_set *set, uint64_t addr)
{
	live_set_drop(set, live_set_find(set, addr));
}

/* Are the cells, and the groups, more than what is near at hand, so that it pays to fetch them
 * ahead? 512 KB, and 256 KB: what the second cache holds.
 */
static inline bool live_set_is_large(const struct live_set *set)
{
	return set->store.next > UINT32_C(1) << 16;
}

static inline bool live_set_has_many_groups(const struct live_set *set)
{
	return set->groups > UINT32_C(1) << 11;
}

/* addr will be looked for soon. First this, and some addresses later live_set_fetch for the
 * same. */
static inline void live_set_fetch_page(struct live_set *set, uint64_t addr)
{
	const struct live_page *const page = live_set_page(set, addr);

	if (page)
		fetch_line(page);
}

static inline void live_set_fetch(struct live_set *set, uint64_t addr)
{
	const struct live_page *const page = live_set_page(set, addr);

	if (page && page->has_run)
		fetch_line(live_set_run(set, page) + live_set_at(page, live_set_tag(addr)));
}

#endif
