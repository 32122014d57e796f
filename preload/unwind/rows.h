/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rows: (pc, exact) -> how to step from there, and the frame id that the trace knows
 * it by. Global, insert-only, readers take no lock and never wait; when a module was unloaded its
 * entries are struck out one by one.
 */
#ifndef XALLOC_UNWIND_ROWS_H
#define XALLOC_UNWIND_ROWS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/sys/hidden.h"
#include "preload/unwind/packed_row.h"
#include "preload/unwind/row.h"

#define ROWS_UNKNOWN 1u

/* Its id is XT_ID_NONE for a frame of our own, in no stack. */
struct row_entry {
	uint64_t key;          /* pc * 2 + exact; 0: being filled */
	struct packed_row row; /* none: nobody has claimed it */
};

/* Also in a fork child, which has none of the dlclose calls of its parent's threads. */
void rows_init(void);

/* The row of key = pc * 2 + exact, computed and given a frame id when it is new. None: no memory,
 * or no id, for a new one. */
static inline struct packed_row rows_get(uint64_t key);

/* What it says. */
static inline struct row rows_row(struct packed_row p);

/* Not 0: no module holds pc, which is asked again each time. ROWS_UNKNOWN, or the token of the
 * registration (jit.h) that the row comes from. */
uint32_t rows_no_object(struct packed_row p);

/* A module at these addresses is gone: its entries match no more. Its places are not used again. */
void rows_forget(uint64_t start, uint64_t end);

/* Rows of registered code may be others now: kept stacks are walked anew. */
void rows_are_void(void);

/* Changes with each of these; a dlclose at work shows in the low bits. */
#define ROWS_CLOSING 0xFFFFull
extern HIDDEN _Atomic uint64_t rows_version;

static inline uint64_t rows_version_now(void)
{
	return atomic_load_explicit(&rows_version, memory_order_acquire);
}

/* Around a dlclose; rows_close_ends is given what rows_close_begins returned. */
uint32_t rows_close_begins(void);
void rows_close_ends(uint32_t begun);

/* The newest table; its first place for a key is looked at here, all else in rows_get_slow. The
 * others are the rest of that line of the cache, then the next lines. */
#define ROWS_LINE (64u / sizeof(struct row_entry))
struct rows_table {
	struct rows_table *older;
	uint32_t mask;
	_Atomic uint32_t count;
	struct row_entry entry[] __attribute__((aligned(64)));
};
extern HIDDEN struct rows_table *_Atomic rows_newest;

struct packed_row rows_get_slow(uint64_t key);
struct row rows_other(struct packed_row p);

static inline uint32_t rows_hash(uint64_t key)
{
	return (uint32_t)((key * 0x9E3779B97F4A7C15ull) >> 32);
}

static inline struct packed_row rows_get(uint64_t key)
{
	const struct rows_table *t = atomic_load_explicit(&rows_newest, memory_order_acquire);
	const struct row_entry *e = t ? &t->entry[rows_hash(key) & t->mask] : NULL;

	if (__builtin_expect(e && __atomic_load_n(&e->key, __ATOMIC_ACQUIRE) == key &&
				     packed_is_step(e->row),
			     1))
		return e->row;
	return rows_get_slow(key);
}

static inline struct row rows_row(struct packed_row p)
{
	return __builtin_expect(packed_is_step(p), 1) ? packed_step(p) : rows_other(p);
}

#endif
