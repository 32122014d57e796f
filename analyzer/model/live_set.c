/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/live_set.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define FIRST_CAPACITY 128u
#define IDLE_FEW 4096u /* cells that are not worth looking for */

static void set_capacity(struct live_set *set, uint64_t capacity)
{
	set->capacity = capacity;
	set->limit = (uint32_t)(capacity / 4 * 3);
	set->entry = mem_map(capacity * sizeof(*set->entry), true);
	set->group = mem_map(set->limit * sizeof(*set->group), true);
	set->groups = 0;
	memset(set->near, 0, sizeof(set->near));
}

static void give_tables(struct live_entry *entry, struct live_group *group, uint64_t capacity)
{
	mem_unmap(entry, capacity * sizeof(*entry));
	mem_unmap(group, capacity / 4 * 3 * sizeof(*group));
}

void live_set_init(struct live_set *set)
{
	*set = (struct live_set){ .seed = seed_make() };
	set_capacity(set, FIRST_CAPACITY);
	run_store_init(&set->store);
}

void live_set_release(struct live_set *set)
{
	give_tables(set->entry, set->group, set->capacity);
	run_store_release(&set->store);
	free(set->wide);
	*set = (struct live_set){ 0 };
}

/* Of pages without a block the cells become free. Returns how many groups have blocks. */
static uint32_t collect(struct live_set *set)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < set->groups; i++) {
		struct live_page *const page = set->group[i].page;
		bool is_used = false;

		for (uint32_t k = 0; k < 1u << LIVE_PAGE_BITS; k++) {
			is_used |= page[k].live;
			if (page[k].live || !page[k].has_run)
				continue;
			run_store_give(&set->store, page[k].run, page[k].room);
			page[k].has_run = false;
		}
		used += is_used;
	}
	set->idle = 0;
	return used;
}

static bool is_empty(const struct live_group *group)
{
	for (uint32_t k = 0; k < 1u << LIVE_PAGE_BITS; k++) {
		if (group->page[k].live)
			return false;
	}
	return true;
}

struct live_group *live_set_far(struct live_set *set, uint64_t key)
{
	const struct live_entry *entry = live_set_home(set, key);

	while (entry->key != key) {
		if (!entry->key)
			return NULL;
		if (++entry == set->entry + set->capacity)
			entry = set->entry;
	}
	set->near[(key >> 4) % LIVE_NEAR] = (struct live_near){ key, &set->group[entry->group] };
	return &set->group[entry->group];
}

static struct live_group *make_group(struct live_set *set, uint64_t key)
{
	struct live_entry *entry = live_set_home(set, key);

	while (entry->key) {
		if (++entry == set->entry + set->capacity)
			entry = set->entry;
	}
	*entry = (struct live_entry){ key, set->groups++ };
	return &set->group[entry->group];
}

/* To new tables without the empty groups; larger ones, unless those are many. */
static void renew(struct live_set *set)
{
	struct live_entry *const entry = set->entry;
	struct live_group *const group = set->group;
	const uint64_t capacity = set->capacity;
	const uint32_t used = collect(set);

	if (capacity > UINT32_MAX / 2)
		out_of_memory(SIZE_MAX);
	set_capacity(set, used < set->groups / 4 * 3 ? capacity : capacity + capacity / 3);
	for (uint64_t i = 0; i < capacity; i++) {
		if (entry[i].key && !is_empty(&group[entry[i].group]))
			*make_group(set, entry[i].key) = group[entry[i].group];
	}
	give_tables(entry, group, capacity);
}

static struct live_page *make_page(struct live_set *set, uint64_t addr)
{
	if (set->groups == set->limit)
		renew(set);
	return &make_group(set, live_set_key(addr))->page[live_set_page_of(addr)];
}

static void take_run(struct live_set *set, struct live_page *page, uint8_t room)
{
	page->room = room;
	page->run = run_store_take(&set->store, room);
	page->has_run = true;
	memset(live_set_run(set, page), 0, sizeof(uint64_t) << room);
}

static uint32_t line_bit(const struct live_page *page, uint32_t tag)
{
	return 1u << live_set_at(page, tag) / LIVE_LINE_PLACES % 8;
}

/* Cells with a tag, or free ones, in the line of that cell: the first of them, or NULL. */
static uint64_t *look(const struct live_page *page, uint64_t *cell, uint32_t tag)
{
	static const uint8_t all[] = { 0x01, 0x03, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
	/* A run of less than a line is not all of its line. */
	const uint32_t mask = (uint32_t)all[page->room] << page->run % LIVE_LINE_PLACES;
	uint64_t *const line = (uint64_t *)((uintptr_t)cell & -(uintptr_t)LIVE_LINE_BYTES);
	const uint32_t found = live_line_match(line, tag) & mask;

	return found ? line + __builtin_ctz(found) : NULL;
}

/* The same in all of the run. */
static uint64_t *look_everywhere(const struct live_set *set, const struct live_page *page,
				 uint32_t tag)
{
	uint64_t *const run = live_set_run(set, page);

	for (uint32_t at = 0; at < 1u << page->room; at += LIVE_LINE_PLACES) {
		uint64_t *const cell = look(page, run + at, tag);

		if (cell)
			return cell;
	}
	return NULL;
}

uint64_t *live_set_find_moved(const struct live_set *set, const struct live_page *page,
			      uint32_t tag)
{
	uint64_t *cell;

	if (!(page->moved & line_bit(page, tag)))
		return NULL;
	cell = look(page, live_set_run(set, page) + live_set_at(page, tag), tag);
	return cell || !page->is_spilled ? cell : look_everywhere(set, page, tag);
}

/* A free cell for a tag: where it would be, else in that line; NULL: there is none. */
static uint64_t *free_near(const struct live_set *set, const struct live_page *page, uint32_t tag)
{
	uint64_t *const cell = live_set_run(set, page) + live_set_at(page, tag);

	return *cell ? look(page, cell, 0) : cell;
}

/* The same in any line; there is one in the run. */
static uint64_t *free_cell(const struct live_set *set, struct live_page *page, uint32_t tag)
{
	uint64_t *const home = live_set_run(set, page) + live_set_at(page, tag);
	uint64_t *const cell = free_near(set, page, tag);

	if (cell != home)
		page->moved |= line_bit(page, tag);
	if (cell)
		return cell;
	page->is_spilled = true;
	return look_everywhere(set, page, 0);
}

static void grow(struct live_set *set, struct live_page *page)
{
	const struct live_page old = *page;
	const uint64_t *from;

	take_run(set, page, page->room + 1);
	page->is_spilled = false;
	page->moved = 0;
	from = live_set_run(set, &old);
	for (uint32_t i = 0; i < 1u << old.room; i++) {
		if (from[i])
			*free_cell(set, page, from[i] & LIVE_TAG_MASK) = from[i];
	}
	run_store_give(&set->store, old.run, old.room);
}

/* Would it be filled to less than half when it has twice as many cells and one block more? */
static bool is_sparse(const struct live_page *page)
{
	return page->live < 1u << page->room >> 1;
}

/* Of a page that has no block yet: neighbours are mostly like each other, so that of the one before
 * it, if that has blocks enough for both. */
static uint8_t first_room(const struct live_set *set, const struct live_page *page)
{
	const struct live_page *const before = page - 1;

	if ((page - set->group->page) % (1 << LIVE_PAGE_BITS) == 0 || !before->has_run ||
	    is_sparse(before))
		return 0;
	return before->room;
}

uint64_t *live_set_add(struct live_set *set, struct live_page *page, uint64_t addr)
{
	const uint32_t tag = live_set_tag(addr);

	if (!page)
		page = make_page(set, addr);
	if (!page->has_run) {
		if (set->idle > IDLE_FEW + set->store.next / 4)
			collect(set);
		take_run(set, page, first_room(set, page));
		set->idle += UINT64_C(1) << page->room;
	}
	if (!page->live)
		set->idle -= UINT64_C(1) << page->room;
	while (!free_near(set, page, tag) && !is_sparse(page))
		grow(set, page);
	page->live++;
	set->count++;
	return free_cell(set, page, tag);
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
	return LIVE_WIDE | (uint64_t)number << LIVE_TAG_BITS;
}

void live_set_give_wide(struct live_set *set, uint64_t cell)
{
	const uint32_t number = (uint32_t)(cell >> LIVE_TAG_BITS);

	set->wide[number].size = set->wide_free;
	set->wide_free = number + 1;
}
