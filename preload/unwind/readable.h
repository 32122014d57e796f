/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a word of memory may be read. With right unwind information it always may: the program
 * itself is about to. But a wrong row must not lead out of the stack, so its words are asked for
 * before they are read. Nothing here takes a lock or allocates; what is found out is kept in the
 * thread's struct unwind_state.
 */
#ifndef XALLOC_UNWIND_READABLE_H
#define XALLOC_UNWIND_READABLE_H

#include <stdint.h>

#include "preload/unwind/unwind.h"

/* A stack is at most so large for an rbp that lies in it to be trusted without a probe. */
#define READABLE_STACK_BYTES_MAX (64ull << 20)

/* For an address outside of what is known of the thread's own stack: asks the kernel, once for each
 * page of a run of pages. */
int readable_look_at(struct unwind_state *u, uint64_t addr);

/* Pages elsewhere that were readable once may be gone. */
void readable_forget(struct unwind_state *u);

/* May the word at addr be read? Not if it is no multiple of 8. shift: of a walk over a copy of the
 * stack, where nothing else may; else 0. */
static inline int is_readable(struct unwind_state *u, uint64_t addr, uint64_t shift)
{
	if (__builtin_expect(addr >= u->stack_from && addr < u->stack_top && !(addr & 7), 1))
		return 1;
	return shift ? 0 : readable_look_at(u, addr);
}

#endif
