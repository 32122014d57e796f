/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What glibc's allocator spends on the program's blocks. A block of its heap is its usable size and
 * a head of 8 bytes. A block that is a mapping of its own is known by a usable size that is a
 * multiple of 16: its head has 16 bytes, its end is a page's.
 */
#ifndef XALLOC_VERIFY_HEAP_COUNT_H
#define XALLOC_VERIFY_HEAP_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#define HEAP_CLASSES 64u /* of the thread cache: chunks of 32, 48, ... 1040 bytes */

struct heap_count {
	uint64_t in_use_bytes, blocks;
	uint64_t mapped_bytes, mapped_blocks;
	/* How much of aligned mappings before their blocks nobody can tell. */
	uint64_t mapped_slack_bytes;
	uint64_t classes;      /* bit i: a block of that class was there at some time */
	bool may_split;        /* calls that give back parts of blocks, of any class */
	bool has_cache;        /* a call was made that makes the thread cache */
	bool has_moved;        /* an aligned mapping was resized: what is before its block is unknown */
	bool has_been_used;    /* there was a block of the heap or a mapping at some time */
};

/* Usable size of a block by glibc's rule. */
static inline uint64_t heap_rule(uint64_t size)
{
	const uint64_t usable = ((size + 8 + 15) & ~UINT64_C(15)) - 8;

	return usable < 24 ? 24 : usable;
}

static inline bool heap_is_mapped(uint64_t usable)
{
	return !(usable & 15);
}

void heap_count_add(struct heap_count *count, uint64_t addr, uint64_t size, uint64_t usable);
/* A mapping was resized whose block was at addr. */
void heap_count_moved(struct heap_count *count, uint64_t addr);
void heap_count_remove(struct heap_count *count, uint64_t addr, uint64_t usable);
/* Is that usable size one that glibc would give for that request? NULL, or what is wrong.
 * page_bytes: the greatest unit in which it may map. */
const char *heap_usable_wrong(uint64_t addr, uint64_t size, uint64_t usable, bool is_aligned,
			      bool is_realloc, uint64_t page_bytes);

/* The most that the cache can hold, in bytes, with `count` chunks for each class. */
uint64_t heap_count_cache_bytes(const struct heap_count *count, uint64_t chunks);

#endif
