/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges of code, each with the number of what it belongs to, to be found by address. They may
 * overlap, as those of damaged files do.
 */
#ifndef XALLOC_SYMBOLS_CODE_RANGES_H
#define XALLOC_SYMBOLS_CODE_RANGES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct code_range {
	uint64_t start, end;
	uint64_t reach; /* the greatest end of this range and all before it */
	uint32_t owner;
};

struct code_ranges {
	struct code_range *range; /* by start */
	size_t count, room;
};

/* Adds the ranges of a DIE, with addresses at link time. What the linker threw away (it is at 0)
 * and what is empty is left out. Returns how many were added. */
size_t code_ranges_add(struct code_ranges *ranges, Dwarf_Die *die, uint32_t owner);
/* To be called before the first search. */
void code_ranges_sort(struct code_ranges *ranges);
void code_ranges_release(struct code_ranges *ranges);

/* The ranges around an address, the one that starts closest before it first; at most 64 are looked
 * at. */
struct range_search {
	size_t at;
	unsigned tries;
};
struct range_search code_ranges_search(const struct code_ranges *ranges, uint64_t addr);
/* NULL: no more. */
const struct code_range *code_ranges_next(const struct code_ranges *ranges,
					  struct range_search *search, uint64_t addr);

#endif
