/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function DWARF sees at an address, and which calls inlined into it.
 *
 * A unit's functions are listed when the first address in it is asked for, a function's inlined
 * calls when the first in that function is.
 */
#ifndef XALLOC_SYMBOLS_INLINE_CALLS_H
#define XALLOC_SYMBOLS_INLINE_CALLS_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "analyzer/symbols/line_table.h"
#include "analyzer/symbols/unit_table.h"

#define INLINE_DEPTH_MAX 256 /* deeper calls are as if they were not inlined */

struct inline_calls;

/* Borrows the units, which must outlive it. */
struct inline_calls *inline_calls_new(struct unit_table *units);
void inline_calls_free(struct inline_calls *calls); /* NULL is fine */

struct inline_chain {
	uint32_t count; /* 0: DWARF knows no function there; 1: nothing is inlined */
	/* die[0] is the function, each further one a call that is inlined into the one before. */
	Dwarf_Die die[INLINE_DEPTH_MAX];
	struct call_site call[INLINE_DEPTH_MAX]; /* [i]: where die[i] calls die[i + 1] */
};

/* Fills the chain for a link-time address; what is damaged is not there. */
void inline_calls_find(struct inline_calls *calls, uint64_t addr, struct inline_chain *chain);

#endif
