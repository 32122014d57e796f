/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rows: (pc, exact) -> how to step from there, and the frame id that the trace knows
 * it by. Global, insert-only, readers take no lock and never wait; emptied as a whole when a module
 * was unloaded.
 */
#ifndef XALLOC_UNWIND_ROWS_H
#define XALLOC_UNWIND_ROWS_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/unwind/row.h"

struct row_entry {
	uint64_t key; /* pc * 2 + exact; 0: being filled */
	uint32_t claim;
	uint32_t id; /* XT_ID_NONE: a frame of our own, in no stack */
	struct row row;
	uint32_t no_object; /* no module holds pc: asked again each time */
};

void rows_init(void);

/* The entry, computed and given a frame id when it is new. NULL: no memory, or no id, for a new
 * one. */
const struct row_entry *rows_get(uint64_t pc, int exact);

/* A module at these addresses is gone: its entries match no more. Its places are not used again. */
void rows_forget(uint64_t start, uint64_t end);

/* Changes with each rows_forget; a dlclose at work shows in the low bits. */
#define ROWS_CLOSING 0xFFFFull
extern _Atomic uint64_t rows_version;

static inline uint64_t rows_version_now(void)
{
	return atomic_load_explicit(&rows_version, memory_order_acquire);
}

void rows_closing(int begins);

#endif
