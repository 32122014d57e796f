/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that come before our own relocation (an ifunc resolver of an object that is relocated
 * before us): a static pool serves them, with nothing but PC-relative accesses, and notes what was
 * asked for with a copy of the stack, which is walked when that can be done. The pool's blocks are
 * known for ever: nobody gives them to the allocator. There is one thread then.
 *
 * The same while foreign code runs for us (is_out, tls.h), from a part of the pool of its own:
 * its blocks are ours, and no call with them is an event. One thread at a time does that.
 */
#ifndef XALLOC_EARLY_H
#define XALLOC_EARLY_H

#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"
#include "preload/unwind/unwind.h"

/* Zeroed memory, or NULL when there is no more: the program's first 64 KB are static, what follows
 * is mapped; ours is 256 KB. fp is the hook's frame. */
void *early_alloc(enum xt_op op, enum xt_fn fn, size_t size, size_t align, const uint64_t *fp);
void *early_realloc(enum xt_fn fn, void *p, size_t size, const uint64_t *fp);
void early_free(void *p);

#define EARLY_POOL_BYTES (64u << 10)
#define EARLY_OURS_BYTES (256u << 10)
extern uint8_t early_pool[EARLY_POOL_BYTES + EARLY_OURS_BYTES];

/* What did not fit in the pool. */
#define EARLY_EXTENTS_MAX 24u
extern struct early_extent {
	uintptr_t start;
	size_t bytes, used;
} early_extent[EARLY_EXTENTS_MAX];
extern uint32_t early_extents;

static inline int early_owns(const void *p)
{
	uint32_t i;

	for (i = 0; __builtin_expect(i < early_extents, 0); i++)
		if ((uintptr_t)p - early_extent[i].start < early_extent[i].bytes)
			return 1;
	return (uintptr_t)p - (uintptr_t)early_pool < EARLY_POOL_BYTES + EARLY_OURS_BYTES;
}

/* Of these, was it allocated while we called out? */
int early_is_ours(const void *p);
size_t early_size(const void *p);

/* Did the program get any block here? */
int early_was_used(void);

struct early_note {
	enum xt_op op;
	enum xt_fn fn;
	uint64_t size, addr, old_addr;
	struct unwind_copy stack; /* pc 0: none is needed */
};

/* Calls fn for each note, in order. Returns the number of calls that were not noted, for want of
 * room. */
uint32_t early_each(void (*fn)(void *arg, const struct early_note *note), void *arg);

#endif
