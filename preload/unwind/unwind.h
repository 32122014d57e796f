/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walker: the stack of frame ids from a hook's caller outwards. It reads only the stack, takes
 * no lock and calls nothing that does. The stack is exact relative to .eh_frame; where that says
 * nothing it ends in XT_ID_TRUNCATED. A stack with a frame outside of the row classes (row.h) is
 * walked by all registers (full.h), at some ten times the cost.
 *
 * A thread's last stack is kept (kept.h), and what is still true of it is not walked again.
 */
#ifndef XALLOC_UNWIND_UNWIND_H
#define XALLOC_UNWIND_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct kept;

#define UNWIND_PROBED 4u
#define UNWIND_RUNS 4u
struct unwind_pages {
	uint64_t from, to;
};

struct unwind_state {
	struct kept *kept; /* NULL: this state is for unwind_find_hook only */
	/* The last stack, root first: perhaps XT_ID_TRUNCATED or XT_ID_ELIDED, then frame ids. */
	uint32_t *ids;
	uint32_t shown; /* how many; at most XT_STACK_MAX + 1 */
	/* The part of the thread's own stack that is known to be readable; empty: not known. */
	uint64_t stack_from, stack_top;
	uint32_t is_main;    /* it is the one that the kernel made */
	uint64_t beyond_gap; /* a page below stack_from with others between that are not */
	/* Elsewhere (readable.h): the pages around hooks that were not on the own stack, and pages
	 * that were found to be readable during this walk. */
	struct unwind_pages runs[UNWIND_RUNS], probed[UNWIND_PROBED];
	uint32_t next_probed, next_run;
	uint32_t run;      /* the last that a walk began in */
	uint8_t is_on_run; /* this walk began in the run */
	uint8_t is_far;    /* this walk looked at words outside of the own stack */
};

/* depth: frames that are kept at least, from the leaf. */
void unwind_init(uint32_t depth, uint64_t main_stack_top);

/* Memory for the kept stack of one thread, zeroed; most of it is never touched. */
size_t unwind_kept_bytes(void);

/* For the calling thread, on whose stack it looks where it is. memory: unwind_kept_bytes() of it,
 * or NULL. */
void unwind_state_init(struct unwind_state *u, void *memory);

/* From the last stack to this one: frames that go at the leaf, then frames that come there. */
struct unwind_change {
	uint32_t pops, pushes;
};

/* The stack of the hook whose frame pointer is fp becomes u's. */
struct unwind_change unwind_stack(struct unwind_state *u, const uint64_t *fp);

/* The present stack leaf first, a root mark last; returns how many. */
uint32_t unwind_stack_ids(const struct unwind_state *u, uint32_t *ids);

/* The state may be half written, or no longer what a reader knows: u's stack becomes empty. */
void unwind_drop(struct unwind_state *u);

/* A stack that was copied when it could not be walked: the caller's registers, and the bytes from
 * sp on. It becomes u's. */
struct unwind_copy {
	uint64_t pc, sp, rbp;
	uint64_t bytes;
	const uint8_t *stack; /* 8-byte aligned */
};
struct unwind_change unwind_stack_copy(struct unwind_state *u, const struct unwind_copy *c);

/* Where a hook of which is_hook(arg, its frame pointer) is true stands, seen from the hook at fp. u
 * may be the state of a hook that was interrupted while it wrote it: only the stack's bounds are
 * read. */
enum unwind_place {
	UNWIND_GONE,        /* not on the stack, and no signal handler is */
	UNWIND_CALLED,      /* it called what called us */
	UNWIND_INTERRUPTED, /* a signal handler runs between it, or whatever, and us */
	UNWIND_UNKNOWN      /* the stack cannot be walked so far */
};
enum unwind_place unwind_find_hook(const struct unwind_state *u, const uint64_t *fp,
				   int (*is_hook)(void *arg, uint64_t frame), void *arg);

/* Is the address in what is known of the thread's own stack? */
int unwind_is_own_stack(const struct unwind_state *u, uint64_t addr);

/* Does the function at fp run in a signal handler, or could it? */
int unwind_is_in_handler(const struct unwind_state *u, const uint64_t *fp);

/* A module is gone. */
void unwind_forget_rows(uint64_t start, uint64_t end);

/* Around a dlclose: while one is at work, who walks looks first which modules are still there. */
uint32_t unwind_close_begins(void);

/* begun: what unwind_close_begins returned, maybe in the process that forked this one. */
void unwind_close_ends(uint32_t begun);

#endif
