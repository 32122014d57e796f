/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/residency.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/residency_maps.h"

#define PAGE ((uint64_t)XT_PAGE_BYTES)

const char *residency_kind_name(enum residency_kind kind)
{
	static const char *const name[] = {
		[RESIDENCY_HEAP] = "heap",     [RESIDENCY_ARENA] = "arenas",
		[RESIDENCY_BLOCKS] = "blocks", [RESIDENCY_OTHER] = "other anonymous",
		[RESIDENCY_STACK] = "stack",   [RESIDENCY_FILE] = "files",
		[RESIDENCY_OWN] = "recorder",  [RESIDENCY_KERNEL] = "kernel",
	};

	return name[kind];
}

/* Of two with as much in them that during which nothing moved. */
static bool is_better(const struct snapshot *s, const struct snapshot *best)
{
	const uint64_t bytes = s->head.resident_bytes, most = best->head.resident_bytes;

	return bytes > most || (bytes == most && best->is_outside && !s->is_outside);
}

const struct snapshot *residency_highest(const struct snapshot_log *log)
{
	const struct snapshot *best = NULL;

	for (size_t i = 0; i < log->count; i++) {
		const struct snapshot *s = &log->snapshot[i];

		if (s->runs && s->is_whole && (!best || is_better(s, best)))
			best = s;
	}
	return best;
}

static uint64_t run_end(const struct xt_pages *run)
{
	return run->start + run->count * PAGE;
}

/* The first run that ends behind addr. */
static size_t find_run(const struct snapshot *s, uint64_t addr)
{
	size_t low = 0, high = s->runs;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (run_end(&s->pages[middle]) > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void add(struct residency_sum *sum, uint32_t kinds, uint64_t bytes)
{
	if (!(kinds & XT_PAGES_PRESENT)) {
		sum->swapped += bytes;
	} else if (kinds & XT_PAGES_ZERO) {
		sum->zero += bytes;
		sum->untouched += bytes;
	} else {
		sum->resident += bytes;
		sum->huge += kinds & XT_PAGES_HUGE ? bytes : 0;
	}
}

void residency_measure(const struct snapshot *s, uint64_t start, uint64_t end,
		       struct residency_sum *sum)
{
	uint64_t at = start;

	for (size_t i = find_run(s, start); i < s->runs && s->pages[i].start < end; i++) {
		const struct xt_pages *run = &s->pages[i];
		const uint64_t from = run->start > at ? run->start : at;
		const uint64_t to = run_end(run) < end ? run_end(run) : end;

		sum->untouched += from - at;
		add(sum, run->kinds, to - from);
		at = to;
	}
	sum->untouched += end - at;
}

static void see(void *owner, uint64_t addr, const struct block *block)
{
	struct residency *r = owner;
	const uint64_t chunk = block->size <= 24 ? 32 : (block->size + 8 + 15) & ~UINT64_C(15);
	struct residency_block *to;

	if (r->blocks == r->room) {
		r->room += r->room / 2 + 1024;
		r->block = xrealloclarge(r->block, r->room, sizeof(*r->block));
	}
	to = &r->block[r->blocks++];
	*to = (struct residency_block){ addr, block->size, addr, addr + block->size, block->stack };
	if (r->is_glibc) { /* the word before a block is its head */
		to->start = addr - 8;
		to->end = addr - 8 + chunk;
	}
}

static int compare_blocks(const void *left, const void *right)
{
	const struct residency_block *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* The page that the sweep over the blocks has come to, and which blocks lie on it. */
struct page {
	uint64_t number, used;
	size_t first, count;
};

static void close_page(struct residency *r, const struct page *page)
{
	struct residency_sum there = { .blocks = 0 };
	struct residency_map *map = residency_maps_find(r, page->number * PAGE);
	struct residency_region *region;
	uint64_t left;

	if (!page->count)
		return;
	residency_measure(r->snapshot, page->number * PAGE, (page->number + 1) * PAGE, &there);
	if (!there.resident || !map)
		return;
	region = &r->region[map->kind];
	left = page->used < PAGE ? PAGE - page->used : 0;
	region->live += PAGE - left;
	region->pinned += left;
	r->all.held += left;
	for (size_t i = 0; i < page->count; i++)
		r->stack[r->block[page->first + i].stack].held +=
			left / page->count + (i < left % page->count);
}

static void put_on(struct residency *r, struct page *page, size_t number)
{
	const struct residency_block *block = &r->block[number];
	const uint64_t first = block->start / PAGE, last = (block->end - 1) / PAGE;
	struct residency_map *map = residency_maps_find(r, block->start);
	struct residency_sum inside = { .blocks = 0 };

	if (first != page->number || !page->count) {
		close_page(r, page);
		*page = (struct page){ .number = first, .first = number };
	}
	page->count++;
	page->used += (last > first ? (first + 1) * PAGE : block->end) - block->start;
	if (last > first) {
		close_page(r, page);
		residency_measure(r->snapshot, (first + 1) * PAGE, last * PAGE, &inside);
		if (map)
			r->region[map->kind].live += inside.resident;
		*page = (struct page){ last, block->end - last * PAGE, number, 1 };
	}
	if (map && map->last_end < block->end)
		map->last_end = block->end;
}

static void sum_blocks(struct residency *r)
{
	struct page page = { .count = 0 };

	for (size_t i = 0; i < r->blocks; i++) {
		const struct residency_block *block = &r->block[i];
		struct residency_sum *sum[2] = { &r->stack[block->stack], &r->all };

		for (size_t k = 0; k < 2; k++) {
			sum[k]->blocks++;
			sum[k]->requested += block->size;
			residency_measure(r->snapshot, block->addr, block->addr + block->size,
					  sum[k]);
		}
		if (block->end > block->start)
			put_on(r, &page, i);
	}
	close_page(r, &page);
}

static void finish(void *owner, const uint32_t *where, size_t stacks)
{
	struct residency *r = owner;

	r->stack = xcalloc(stacks + 1, sizeof(*r->stack));
	r->stacks = stacks;
	for (size_t i = 0; i < r->blocks; i++)
		r->block[i].stack = where[r->block[i].stack];
	if (r->blocks)
		qsort(r->block, r->blocks, sizeof(*r->block), compare_blocks);
	residency_maps_read(r);
	sum_blocks(r);
	residency_maps_sum(r);
}

void residency_init(struct residency *r, const struct snapshot_log *log,
		    const struct snapshot *snapshot, bool is_glibc)
{
	*r = (struct residency){ .snapshot = snapshot,
				 .log = log,
				 .is_glibc = is_glibc,
				 .moment = { .stamp = snapshot->head.stamp,
					     .events = snapshot->head.events,
					     .stream = snapshot->head.stream,
					     .see = see,
					     .finish = finish } };
	r->moment.owner = r;
}

void residency_release(struct residency *r)
{
	free(r->map);
	free(r->block);
	free(r->stack);
	*r = (struct residency){ .blocks = 0 };
}
