/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/live_set.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define FIRST_CAPACITY 256u
#define IDLE_FEW 4096u /* cells that are not worth looking for */

static void set_capacity(struct live_set *set, uint64_t capacity)
{
	set->capacity = capacity;
	set->limit = capacity / 4 * 3;
	set->page = mem_map(capacity * sizeof(*set->page), true);
	set->latest = set->page;
}

void live_set_init(struct live_set *set)
{
	*set = (struct live_set){ .seed = seed_make() };
	set_capacity(set, FIRST_CAPACITY);
	run_store_init(&set->store);
}

void live_set_release(struct live_set *set)
{
	mem_unmap(set->page, set->capacity * sizeof(*set->page));
	run_store_release(&set->store);
	free(set->wide);
	*set = (struct live_set){ 0 };
}

static void give_run(struct live_set *set, struct live_page *page)
{
	if (page->has_run)
		run_store_give(&set->store, page->run, page->room);
	page->has_run = false;
}

/* Of pages without a block the cells become free. */
static void collect(struct live_set *set)
{
	for (uint64_t i = 0; i < set->capacity; i++) {
		if (!set->page[i].live)
			give_run(set, &set->page[i]);
	}
	set->idle = 0;
}

static struct live_page *free_entry(const struct live_set *set, uint64_t key)
{
	struct live_page *page = live_set_home(set, key);

	while (page->key) {
		if (++page == set->page + set->capacity)
			page = set->page;
	}
	return page;
}

/* To a new table without the empty pages; a larger one, unless those are many. */
static void renew(struct live_set *set)
{
	struct live_page *const old = set->page;
	const uint64_t capacity = set->capacity;

	collect(set);
	set_capacity(set, set->empty > set->pages / 4 ? capacity : capacity + capacity / 3);
	set->pages -= set->empty;
	set->empty = 0;
	for (uint64_t i = 0; i < capacity; i++) {
		if (old[i].live)
			*free_entry(set, old[i].key) = old[i];
	}
	mem_unmap(old, capacity * sizeof(*old));
}

static struct live_page *make_page(struct live_set *set, uint64_t key)
{
	struct live_page *page;

	if (set->pages >= set->limit)
		renew(set);
	page = free_entry(set, key);
	*page = (struct live_page){ .key = key };
	set->pages++;
	set->empty++;
	return page;
}

static void take_run(struct live_set *set, struct live_page *page, uint8_t room)
{
	page->room = room;
	page->run = run_store_take(&set->store, room);
	page->has_run = true;
	memset(live_set_run(set, page), 0, sizeof(uint64_t) << room);
}

/* How far behind its home a cell stands that is not free. */
static uint32_t distance(const struct live_page *page, const uint64_t *run, uint32_t at)
{
	return (at - live_set_at(page, live_set_granule_of(run[at]))) & ((1u << page->room) - 1);
}

/* A cell for a granule, which is left in it: those behind it that are nearer to their homes than it
 * would be there go on by one. */
static uint64_t *insert(struct live_set *set, const struct live_page *page, uint64_t cell)
{
	uint64_t *const run = live_set_run(set, page);
	const uint32_t mask = (1u << page->room) - 1;
	uint32_t at = live_set_at(page, live_set_granule_of(cell));
	uint64_t *found = NULL;

	for (uint32_t far = 0; run[at]; far++, at = (at + 1) & mask) {
		const uint32_t there = distance(page, run, at);
		const uint64_t moved = run[at];

		if (there >= far)
			continue;
		run[at] = cell;
		if (!found)
			found = &run[at];
		cell = moved;
		far = there;
	}
	run[at] = cell;
	return found ? found : &run[at];
}

static void grow(struct live_set *set, struct live_page *page)
{
	const struct live_page old = *page;
	const uint64_t *from;

	take_run(set, page, page->room + 1);
	from = live_set_run(set, &old);
	for (uint32_t i = 0; i < 1u << old.room; i++) {
		if (from[i])
			insert(set, page, from[i]);
	}
	run_store_give(&set->store, old.run, old.room);
}

/* Of a page that has no block yet: its neighbours are mostly like each other, so not much smaller
 * than the one before it became, which has blocks enough for both. */
static uint8_t first_room(const struct live_set *set)
{
	const struct live_page *const before = set->latest;

	if (!before->has_run || before->room < 2 || before->live <= live_set_most(before->room) / 2)
		return 0;
	return before->room - 1;
}

uint64_t *live_set_add(struct live_set *set, struct live_page *page, uint64_t addr)
{
	if (!page)
		page = make_page(set, live_set_key(addr));
	if (!page->has_run) {
		if (set->idle > IDLE_FEW + set->store.next / 4)
			collect(set);
		take_run(set, page, first_room(set));
		set->idle += UINT64_C(1) << page->room;
	}
	if (!page->live)
		live_set_leave_idle(set, page);
	else if (page->live == live_set_most(page->room) && page->room < LIVE_GRANULE_BITS)
		grow(set, page);
	page->live++;
	set->count++;
	return insert(set, page, LIVE_THERE | live_set_granule(addr));
}

/* A cell became free: those behind it that are not at home go back by one. */
void live_set_close_gap(struct live_set *set, struct live_place place)
{
	const struct live_page *const page = place.page;
	uint64_t *const run = live_set_run(set, page);
	const uint32_t mask = (1u << page->room) - 1;
	uint32_t at = (uint32_t)(place.cell - run);

	for (uint32_t next = (at + 1) & mask; run[next] && distance(page, run, next);
	     at = next, next = (next + 1) & mask) {
		run[at] = run[next];
		run[next] = 0;
	}
}

uint64_t live_set_pack_wide(struct live_set *set, struct block block)
{
	uint32_t number = set->wide_free;

	if (number--) {
		set->wide_free = (uint32_t)set->wide[number].size;
	} else {
		if (set->wides == set->wide_room) {
			if (set->wide_room >= UINT32_MAX / 2)
				out_of_memory(SIZE_MAX);
			set->wide_room += set->wide_room / 2 + 64;
			set->wide = xrealloclarge(set->wide, set->wide_room, sizeof(*set->wide));
		}
		number = set->wides++;
	}
	set->wide[number] = block;
	return LIVE_WIDE | (uint64_t)number << LIVE_GRANULE_BITS;
}

void live_set_give_wide(struct live_set *set, uint64_t cell)
{
	const uint32_t number = (uint32_t)(cell >> LIVE_GRANULE_BITS);

	set->wide[number].size = set->wide_free;
	set->wide_free = number + 1;
}
