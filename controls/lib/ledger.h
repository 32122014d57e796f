/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator that keeps a ledger: libc's, and a second count of everything that reaches it, for
 * programs of one thread. It is for calls whose number nobody can derive, those of the loader: the
 * program says in which phase it is, and the ledger has the figures of each.
 */
#ifndef CONTROLS_LIB_LEDGER_H
#define CONTROLS_LIB_LEDGER_H

#include <stddef.h>

#define LEDGER_PHASES 3

/* Of the blocks that were allocated in a phase, but for frees: those are the calls in it. */
struct ledger {
	unsigned long calls, bytes, by_malloc, by_calloc, by_realloc, failed, frees;
	unsigned long temporary, live_calls, live_bytes;
};

extern int ledger_phase; /* 0 at first */
extern struct ledger ledger[LEDGER_PHASES];

#endif
