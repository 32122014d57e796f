/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/code_ranges.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

/* Damaged files can claim any number of ranges, all over each other. */
#define RANGES_MAX (1u << 24)
#define OVERLAPS_MAX 64

static void add_range(struct code_ranges *ranges, uint64_t start, uint64_t end, uint32_t owner)
{
	if (ranges->count == ranges->room) {
		ranges->room = ranges->room * 2 + 16;
		ranges->range = xreallocarray(ranges->range, ranges->room, sizeof(*ranges->range));
	}
	ranges->range[ranges->count++] = (struct code_range){ start, end, 0, owner };
}

size_t code_ranges_add(struct code_ranges *ranges, Dwarf_Die *die, uint32_t owner)
{
	const size_t before = ranges->count;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (ranges->count < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (start && end > start)
			add_range(ranges, start, end, owner);
	return ranges->count - before;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct code_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1; /* the smaller one is found first */
	return a->owner < b->owner ? -1 : a->owner > b->owner;
}

void code_ranges_sort(struct code_ranges *ranges)
{
	uint64_t reach = 0;

	if (ranges->count)
		qsort(ranges->range, ranges->count, sizeof(*ranges->range), compare_ranges);
	for (size_t i = 0; i < ranges->count; i++) {
		if (ranges->range[i].end > reach)
			reach = ranges->range[i].end;
		ranges->range[i].reach = reach;
	}
}

void code_ranges_release(struct code_ranges *ranges)
{
	free(ranges->range);
	*ranges = (struct code_ranges){ .range = NULL };
}

struct range_search code_ranges_search(const struct code_ranges *ranges, uint64_t addr)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges->range[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct range_search){ low, 0 };
}

const struct code_range *code_ranges_next(const struct code_ranges *ranges,
					  struct range_search *search, uint64_t addr)
{
	while (search->at && search->tries++ < OVERLAPS_MAX) {
		const struct code_range *range = &ranges->range[--search->at];

		if (range->reach <= addr)
			break;
		if (range->end > addr)
			return range;
	}
	search->at = 0;
	return NULL;
}
