/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a word of memory may be read. With right unwind information it always may: the program
 * itself is about to. But a wrong row must not lead out of the stack, so its words are asked for
 * before they are read. Nothing here takes a lock or allocates; what is found out is kept in the
 * thread's struct unwind_state.
 *
 * The thread's own stack stays as long as the thread. Pages elsewhere may be gone at the next event
 * but for those that the hook itself stands on: one run of pages without a gap, each asked for
 * once, that holds the hook's frame. It is believed by walks that begin in it, and a few are
 * remembered; what else a walk found out is forgotten before the next.
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

static inline int readable_is_own(const struct unwind_state *u, uint64_t addr)
{
	return addr >= u->stack_from && addr < u->stack_top;
}

/* Does addr lie in the run that this walk's hook stands on? */
static inline int readable_is_in_run(const struct unwind_state *u, uint64_t addr)
{
	return u->is_on_run && addr >= u->runs[u->run].from && addr < u->runs[u->run].to;
}

/* All but the own stack: the state may be half written. */
void readable_forget(struct unwind_state *u);

/* See readable_begin. */
int readable_begin_elsewhere(struct unwind_state *u, uint64_t addr);

/* Before each walk, with the frame pointer of its hook. Returns 1 when that lies in the run that
 * the last walk outside of the own stack began in, else 0. */
static inline int readable_begin(struct unwind_state *u, const uint64_t *fp)
{
	u->is_far = 0;
	if (__builtin_expect(readable_is_own(u, (uint64_t)(uintptr_t)fp) && !u->is_on_run &&
				     !u->next_probed,
			     1))
		return 0;
	return readable_begin_elsewhere(u, (uint64_t)(uintptr_t)fp);
}

/* May the word at addr be read? Not if it is no multiple of 8. shift: of a walk over a copy of the
 * stack, where nothing else may; else 0. */
static inline int is_readable(struct unwind_state *u, uint64_t addr, uint64_t shift)
{
	if (__builtin_expect(readable_is_own(u, addr) && !(addr & 7), 1))
		return 1;
	return shift ? 0 : readable_look_at(u, addr);
}

#endif
