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

#include "preload/sys/hidden.h"
#include "preload/trace/format.h"
#include "preload/unwind/unwind.h"

/* Zeroed memory, or NULL when there is no more: the program's first 64 KB are static, what follows
 * is mapped; ours is 256 KB. fp is the hook's frame. */
void *early_alloc(enum xt_op op, enum xt_fn fn, size_t size, size_t align, const uint64_t *fp);
void *early_realloc(enum xt_fn fn, void *p, size_t size, const uint64_t *fp);
void early_free(void *p);

/* Was a block given out? */
extern HIDDEN int early_has_blocks;
int early_owns_one(const void *p);

static inline int early_owns(const void *p)
{
	return __builtin_expect(early_has_blocks, 0) && early_owns_one(p);
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
