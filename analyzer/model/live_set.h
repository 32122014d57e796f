/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks that are live, by address. Made for how heaps are: neighbours in memory are neighbours
 * here. A hash of pages of 4 KB, 16 bytes each, says which cells are a page's: a run of 1, 2, 4 ...
 * 256 of 8 bytes, one for each block. The home of a block is where it would be if the run were the
 * page; where another has it, both stand one behind the other in their order. A run that is more
 * than seven eighths full becomes twice as large.
 *
 * So a block has 8 to 18 bytes, and a page 21 to 29: at most 48 a block, about 12 for blocks of 80
 * bytes, and 16 more where a block does not fit its cell. What becomes free is used again and not
 * given back.
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

/* The granules of a page are its 256 multiples of 16. All its addresses have the same low four
 * bits, mostly 0. */
#define LIVE_GRANULE_BITS 8
struct live_page {
	uint64_t key;  /* 0: a free entry */
	uint32_t run;  /* the number of its first cell in the store */
	uint16_t live; /* blocks */
	uint8_t room;  /* of 1 << room cells */
	bool has_run;  /* else none yet, or it was taken away, for no block was there */
};

/* A cell: 0, or from its lowest bits on the granule, then size, stack and thread, and LIVE_THERE.
 * What does not fit has LIVE_WIDE instead, and behind the granule the number of an entry in
 * live_set.wide. */
#define LIVE_SIZE_BITS 23
#define LIVE_STACK_BITS 20
#define LIVE_THREAD_BITS 11
#define LIVE_FETCH_PROBES 8
#define LIVE_THERE (UINT64_C(1) << 62)
#define LIVE_WIDE (UINT64_C(1) << 63)

struct live_set {
	struct live_page *page;
	uint64_t capacity;     /* of pages */
	uint64_t pages, limit; /* it is renewed when pages reaches limit */
	uint64_t empty;        /* pages without a live block */
	uint64_t idle;         /* cells of theirs */
	uint64_t count;        /* of blocks */
	uint64_t seed;
	struct live_page *latest; /* most often the one that is wanted next */
	struct run_store store;
	struct block *wide;
	uint32_t wides, wide_room;
	uint32_t wide_free; /* the first of a list through size: its number + 1; 0: none */
};

/* Where a block is; cell is NULL where none is, page where none of that page ever was. Valid until
 * the next put. */
struct live_place {
	struct live_page *page;
	uint64_t *cell;
};

void live_set_init(struct live_set *set);
void live_set_release(struct live_set *set);

/* For the inline functions: a cell for addr, which has none, in its page (NULL: none); what follows
 * when a cell of several became free; the part of a cell for a block that does not fit; that is no
 * more. */
uint64_t *live_set_add(struct live_set *set, struct live_page *page, uint64_t addr);
void live_set_close_gap(struct live_set *set, struct live_place place);
uint64_t live_set_pack_wide(struct live_set *set, struct block block);
void live_set_give_wide(struct live_set *set, uint64_t cell);

static inline uint64_t live_set_key(uint64_t addr)
{
	return (addr >> (4 + LIVE_GRANULE_BITS) << 4 | (addr & 15)) + 1;
}

static inline uint32_t live_set_granule(uint64_t addr)
{
	return addr >> 4 & ((1u << LIVE_GRANULE_BITS) - 1);
}

static inline uint32_t live_set_granule_of(uint64_t cell)
{
	return cell & ((1u << LIVE_GRANULE_BITS) - 1);
}

static inline struct live_page *live_set_home(const struct live_set *set, uint64_t key)
{
	return &set->page[(unsigned __int128)seed_hash(set->seed, key) * set->capacity >> 64];
}

/* NULL, or the page of that key. */
static inline struct live_page *live_set_page(struct live_set *set, uint64_t key)
{
	struct live_page *page = set->latest;

	if (page->key == key)
		return page;
	page = live_set_home(set, key);
	while (page->key != key) {
		if (!page->key)
			return NULL;
		if (++page == set->page + set->capacity)
			page = set->page;
	}
	set->latest = page;
	return page;
}

static inline uint64_t *live_set_run(const struct live_set *set, const struct live_page *page)
{
	return run_store_at(&set->store, page->run);
}

/* The number in its run of a granule's home. */
static inline uint32_t live_set_at(const struct live_page *page, uint32_t granule)
{
	return granule >> (LIVE_GRANULE_BITS - page->room);
}

/* So many blocks a run may have before it becomes larger. */
static inline uint32_t live_set_most(uint32_t room)
{
	return (1u << room) - (1u << room) / 8;
}

/* addr is never 0. */
static inline struct live_place live_set_find(struct live_set *set, uint64_t addr)
{
	struct live_page *const page = live_set_page(set, live_set_key(addr));
	const uint32_t granule = live_set_granule(addr);
	uint64_t *run;
	uint32_t at, mask;

	if (!page || !page->has_run)
		return (struct live_place){ page, NULL };
	run = live_set_run(set, page);
	mask = (1u << page->room) - 1;
	at = live_set_at(page, granule);
	for (uint32_t left = mask; run[at]; left--, at = (at + 1) & mask) {
		if (live_set_granule_of(run[at]) == granule)
			return (struct live_place){ page, &run[at] };
		if (!left)
			break;
	}
	return (struct live_place){ page, NULL };
}

static inline struct block live_set_read(const struct live_set *set, uint64_t cell)
{
	const uint64_t what = cell >> LIVE_GRANULE_BITS;

	if (__builtin_expect(cell & LIVE_WIDE, 0))
		return set->wide[(uint32_t)what];
	return (struct block){ what & ((1u << LIVE_SIZE_BITS) - 1),
			       what >> LIVE_SIZE_BITS & ((1u << LIVE_STACK_BITS) - 1),
			       what >> (LIVE_SIZE_BITS + LIVE_STACK_BITS) &
				       ((1u << LIVE_THREAD_BITS) - 1) };
}

static inline uint64_t live_set_pack(struct live_set *set, uint32_t granule,
				     const struct block *block)
{
	if (__builtin_expect(block->size >> LIVE_SIZE_BITS || block->stack >> LIVE_STACK_BITS ||
				     block->thread >> LIVE_THREAD_BITS,
			     0))
		return live_set_pack_wide(set, *block) | granule;
	return LIVE_THERE | granule |
	       (block->size | (uint64_t)block->stack << LIVE_SIZE_BITS |
		(uint64_t)block->thread << (LIVE_SIZE_BITS + LIVE_STACK_BITS))
		       << LIVE_GRANULE_BITS;
}

/* A cell became free: does nothing stand behind it that could go back? Mostly so. */
static inline bool live_set_is_gap_closed(const struct live_set *set, struct live_place place)
{
	const struct live_page *const page = place.page;
	const uint64_t *const run = live_set_run(set, page);
	const uint32_t next = (uint32_t)(place.cell - run + 1) & ((1u << page->room) - 1);

	return !run[next] || live_set_at(page, live_set_granule_of(run[next])) == next;
}

/* The block at a place that was found is no more. */
static inline void live_set_drop(struct live_set *set, struct live_place place)
{
	struct live_page *const page = place.page;

	if (__builtin_expect(*place.cell & LIVE_WIDE, 0))
		live_set_give_wide(set, *place.cell);
	*place.cell = 0;
	set->count--;
	if (--page->live) {
		if (!live_set_is_gap_closed(set, place))
			live_set_close_gap(set, place);
		return;
	}
	set->empty++;
	set->idle += UINT64_C(1) << page->room;
}

static inline bool live_set_get(struct live_set *set, uint64_t addr, struct block *block)
{
	const struct live_place place = live_set_find(set, addr);

	if (place.cell)
		*block = live_set_read(set, *place.cell);
	return place.cell;
}

/* A page has its first block again. */
static inline void live_set_leave_idle(struct live_set *set, const struct live_page *page)
{
	set->empty--;
	set->idle -= UINT64_C(1) << page->room;
}

/* live_set_add, which mostly is this. */
static inline uint64_t *live_set_new(struct live_set *set, struct live_page *page, uint64_t addr)
{
	uint64_t *cell;

	if (!page || !page->has_run || page->live >= live_set_most(page->room))
		return live_set_add(set, page, addr);
	cell = live_set_run(set, page) + live_set_at(page, live_set_granule(addr));
	if (*cell)
		return live_set_add(set, page, addr);
	if (!page->live++)
		live_set_leave_idle(set, page);
	set->count++;
	return cell;
}

/* There may be a block: then it is replaced, *old is what it was and the result true. */
static inline bool live_set_put(struct live_set *set, uint64_t addr, const struct block *block,
				struct block *old)
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
	*place.cell = live_set_pack(set, live_set_granule(addr), block);
	return is_there;
}

/* There must be one. */
static inline void live_set_remove(struct live_set *set, uint64_t addr)
{
	live_set_drop(set, live_set_find(set, addr));
}

/* Are the cells, and the pages, more than what is near at hand, so that it pays to fetch them
 * ahead? 16 MB, and 256 KB, of which nearly each event wants another one: below that it costs more.
 */
static inline bool live_set_is_large(const struct live_set *set)
{
	return set->store.next > UINT32_C(1) << 21;
}

static inline bool live_set_has_many_pages(const struct live_set *set)
{
	return set->capacity > UINT64_C(1) << 14;
}

/* addr will be looked for soon. First this, and some addresses later live_set_fetch for the
 * same. */
static inline void live_set_fetch_page(const struct live_set *set, uint64_t addr)
{
	fetch_line(live_set_home(set, live_set_key(addr)));
}

static inline void live_set_fetch(const struct live_set *set, uint64_t addr)
{
	const uint64_t key = live_set_key(addr);
	const struct live_page *const end = set->page + set->capacity;
	const struct live_page *page = live_set_home(set, key);

	/* Few are farther from home. */
	for (unsigned left = LIVE_FETCH_PROBES; page < end && left; left--, page++) {
		if (page->key == key && page->has_run)
			fetch_line(live_set_run(set, page) +
				   live_set_at(page, live_set_granule(addr)));
		if (page->key == key || !page->key)
			return;
	}
}

#endif
