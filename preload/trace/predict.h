/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a chunk of columns expects of addresses: a free names its block by how many blocks ago it
 * was handed out; an allocator that gives the last block freed of a size again, as glibc's caches
 * and fast bins do, or else the memory behind the block before, needs no address at all. Writer and
 * reader keep the same state, empty at the start of the chunk. Header only and freestanding;
 * docs/trace-format.md, "Expected addresses", says the same in words.
 */
#ifndef XALLOC_TRACE_PREDICT_H
#define XALLOC_TRACE_PREDICT_H

#include <stdint.h>

#include "preload/trace/codec.h"
#include "preload/trace/format.h"

#define XT_PREDICT_WINDOW 4096u /* blocks that a free can name by their age */
#define XT_PREDICT_CLASSES 128u
#define XT_PREDICT_DEPTH \
	7u /* freed blocks of a class that are remembered, as glibc's tcache does */
#define XT_PREDICT_SMALL 8u  /* the largest class of which more are, as its fast bins do */
#define XT_PREDICT_LATE 256u /* so many more */

struct xt_predict {
	uint32_t blocks;                  /* entered so far */
	uint64_t addr[XT_PREDICT_WINDOW]; /* of block number i at i modulo the window */
	uint8_t size_class[XT_PREDICT_WINDOW];
	uint8_t count[XT_PREDICT_CLASSES];                    /* of class 0 always 0 */
	uint64_t freed[XT_PREDICT_CLASSES][XT_PREDICT_DEPTH]; /* the first freed first */
	uint16_t late_count[XT_PREDICT_SMALL + 1];
	uint64_t late[XT_PREDICT_SMALL + 1][XT_PREDICT_LATE]; /* freed when those were full */
	uint64_t next; /* behind the last block that was in neither; 0: none */
	uint64_t next_of[XT_PREDICT_CLASSES]; /* the same of each class */
};

/* Blocks of 16 bytes more each; 0 is for all larger ones and remembers nothing. */
static inline uint8_t xt_predict_class(uint64_t size)
{
	if (size <= 24)
		return 2;
	return size <= 16 * XT_PREDICT_CLASSES - 24 ? (uint8_t)((size + 23) >> 4) : 0;
}

static inline void xt_predict_reset(struct xt_predict *p)
{
	unsigned i;

	p->blocks = 0;
	p->next = 0;
	for (i = 0; i < XT_PREDICT_CLASSES; i++) {
		p->count[i] = 0;
		p->next_of[i] = 0;
	}
	for (i = 0; i <= XT_PREDICT_SMALL; i++)
		p->late_count[i] = 0;
}

/* May a free name a block that was entered `age` blocks ago, the last one being 1? */
static inline int xt_predict_is_age(const struct xt_predict *p, uint64_t age)
{
	return age >= 1 && age <= XT_PREDICT_WINDOW && age <= p->blocks;
}

static inline uint64_t xt_predict_aged(const struct xt_predict *p, uint32_t age)
{
	return p->addr[(p->blocks - age) % XT_PREDICT_WINDOW];
}

/* The block of that age was freed. */
static inline void xt_predict_release(struct xt_predict *p, uint32_t age)
{
	const uint32_t at = (p->blocks - age) % XT_PREDICT_WINDOW;
	const uint8_t c = p->size_class[at];

	if (c && p->count[c] < XT_PREDICT_DEPTH)
		p->freed[c][p->count[c]++] = p->addr[at];
	else if (c && c <= XT_PREDICT_SMALL && p->late_count[c] < XT_PREDICT_LATE)
		p->late[c][p->late_count[c]++] = p->addr[at];
}

static inline uint32_t xt_predict_late(const struct xt_predict *p, uint8_t c)
{
	return c <= XT_PREDICT_SMALL && !p->count[c] ? p->late_count[c] : 0;
}

/* What a block of that size is expected at; 0: nothing is. */
static inline uint64_t xt_predict_next(const struct xt_predict *p, uint64_t size)
{
	const uint8_t c = xt_predict_class(size);
	const uint32_t late = xt_predict_late(p, c);

	if (p->count[c])
		return p->freed[c][p->count[c] - 1];
	return late ? p->late[c][late - 1] : p->next;
}

/* What the address of a block of that size is told by when it is another. */
static inline uint64_t xt_predict_base(const struct xt_predict *p, uint64_t size)
{
	const uint64_t next = p->next_of[xt_predict_class(size)];

	return next ? next : p->next;
}

static inline uint64_t xt_predict_get_addr(const struct xt_predict *p, uint64_t size,
					   uint64_t zigzag)
{
	return ((xt_predict_base(p, size) >> 4) + (uint64_t)xt_unzigzag(zigzag)) << 4;
}

/* The last of those that were freed late was handed out, and the cache is filled from the others.
 */
static inline void xt_predict_take_late(struct xt_predict *p, uint8_t c)
{
	p->late_count[c]--;
	while (p->late_count[c] && p->count[c] < XT_PREDICT_DEPTH)
		p->freed[c][p->count[c]++] = p->late[c][--p->late_count[c]];
}

/* A block of that size is at addr, and can be named. */
static inline void xt_predict_number(struct xt_predict *p, uint64_t addr, uint64_t size)
{
	const uint32_t at = p->blocks++ % XT_PREDICT_WINDOW;

	p->addr[at] = addr;
	p->size_class[at] = xt_predict_class(size);
}

/* A block of that size was handed out at addr: what was remembered above that is no more. */
static inline void xt_predict_enter(struct xt_predict *p, uint64_t addr, uint64_t size)
{
	const uint8_t c = xt_predict_class(size);
	const uint32_t late = xt_predict_late(p, c);
	uint8_t i;

	xt_predict_number(p, addr, size);
	for (i = p->count[c]; i > 0; i--)
		if (p->freed[c][i - 1] == addr) {
			p->count[c] = i - 1;
			return;
		}
	if (late && p->late[c][late - 1] == addr) {
		xt_predict_take_late(p, c);
		return;
	}
	if (late)
		p->late_count[c] = 0;
	p->next = addr + ((size <= 24 ? 47 : size + 23) & ~(uint64_t)15);
	p->next_of[c] = p->next;
}

/*
 * Where addresses were dropped (XT_USABLE_NO_ADDRESSES) blocks are called by these instead: the
 * chunk's `base` plus how many blocks it returned before, in units of XT_NAME_STEP.
 */
#define XT_NAME_STEP 16u
#define XT_NAME_NONE 16u /* a block that no event of the trace returned */

static inline uint64_t xt_name(uint32_t stream, uint64_t number)
{
	return (((uint64_t)stream + 1) << 40 | (number & 0xFFFFFFFFFFu)) * XT_NAME_STEP;
}

/* What a FREED of not 0 names, by the name that the next block gets and by the block before it. */
static inline uint64_t xt_name_freed(uint64_t value, uint64_t next, uint64_t last)
{
	if (value & 1)
		return last + (uint64_t)xt_unzigzag(value >> 1) * XT_NAME_STEP;
	return next - (value >> 1) * XT_NAME_STEP;
}

/*
 * Of a header in columns the stamp's bit says that it is not as expected: when XT_STAMP_EVERY - 1
 * events in a row had no stamp the next has one, all others have none. *since: how many those are,
 * 0 at the chunk's start. Returns the header with the bit's other meaning; is_written: it is what
 * stands in the chunk.
 */
static inline uint8_t xt_predict_stamp(uint8_t head, uint32_t *since, int is_written)
{
	const int is_due = ++*since == XT_STAMP_EVERY;
	const uint8_t other = is_due ? head ^ XT_EV_STAMP : head;

	if ((is_written ? other : head) & XT_EV_STAMP)
		*since = 0;
	return other;
}

/* For who writes: which block is at an address. What is not found here is no block that can be
 * named. */
#define XT_RECENT_PLACES 8192u
struct xt_recent {
	uint32_t block[XT_RECENT_PLACES]; /* by address: its number plus 1; zeroed at the start */
};

static inline uint32_t *xt_recent_place(struct xt_recent *r, uint64_t addr)
{
	return &r->block[(uint32_t)(addr >> 4) * 0x9E3779B1u >> 19];
}

/* The age of the block at addr; 0: not known. */
static inline uint32_t xt_recent_age(struct xt_recent *r, const struct xt_predict *p, uint64_t addr)
{
	const uint32_t block = *xt_recent_place(r, addr), age = p->blocks + 1 - block;

	return block && xt_predict_is_age(p, age) && xt_predict_aged(p, age) == addr ? age : 0;
}

/* After xt_predict_enter or xt_predict_number. */
static inline void xt_recent_enter(struct xt_recent *r, const struct xt_predict *p, uint64_t addr)
{
	*xt_recent_place(r, addr) = p->blocks;
}

#endif
