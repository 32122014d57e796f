/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walker: the stack of frame ids from a hook's caller outwards. It reads only the stack, takes
 * no lock and calls nothing that does. The stack is exact relative to .eh_frame; where that says
 * nothing, or something outside of the row classes (row.h), the stack ends in XT_ID_TRUNCATED.
 */
#ifndef XALLOC_UNWIND_UNWIND_H
#define XALLOC_UNWIND_UNWIND_H

#include <stdint.h>

#include "preload/trace/format.h"

/* Where a deep stack was cut last: stays as long as it lies between depth and 1.5 depth frames from
 * the leaf. */
struct unwind_state {
	uint64_t cut_cfa; /* 0: none */
	uint32_t cut_id;
	/* The part of the thread's own stack that is known to be readable; empty: not known. */
	uint64_t stack_from, stack_top;
	uint64_t probed_from, probed_to; /* pages elsewhere that were found to be readable */
};

void unwind_init(uint32_t depth, uint64_t main_stack_top);

/* For the calling thread, on whose stack it looks where it is. */
void unwind_state_init(struct unwind_state *u);

/*
 * fp is the frame pointer of a hook: fp[0] the caller's rbp, fp[1] the return address into it.
 * Writes ids leaf first, then perhaps XT_ID_TRUNCATED or XT_ID_ELIDED, at most unwind_ids_max() of
 * them, and returns how many.
 */
uint32_t unwind_walk(struct unwind_state *u, const uint64_t *fp, uint32_t *ids);

uint32_t unwind_ids_max(void);

/* A stack that was copied when it could not be walked: the caller's registers, and the bytes from
 * sp on. */
struct unwind_copy {
	uint64_t pc, sp, rbp;
	uint64_t bytes;
	const uint8_t *stack; /* 8-byte aligned */
};
uint32_t unwind_walk_copy(const struct unwind_copy *c, uint32_t *ids);

/* Where the hook whose frame pointer was hook_fp stands, seen from the hook at fp. */
enum unwind_place {
	UNWIND_GONE,        /* not on the stack any more: it was left by longjmp */
	UNWIND_CALLED,      /* it called what called us */
	UNWIND_INTERRUPTED, /* a signal handler runs between it and us */
	UNWIND_UNKNOWN      /* the stack cannot be walked so far */
};
enum unwind_place unwind_find_hook(struct unwind_state *u, const uint64_t *fp, uint64_t hook_fp);

/* Does the function at fp run in a signal handler, or could it? */
int unwind_is_in_handler(struct unwind_state *u, const uint64_t *fp);

/* A module is gone. */
void unwind_forget_rows(uint64_t start, uint64_t end);

#endif
