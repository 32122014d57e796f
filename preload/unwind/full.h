/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slow path of the unwinder: a whole stack with all registers and all of call frame
 * information, for stacks with a frame outside of the row classes (ROW_OUTSIDE, cfi.h). Takes
 * half a microsecond a frame.
 */
#ifndef XALLOC_UNWIND_FULL_H
#define XALLOC_UNWIND_FULL_H

#include <stdint.h>

#include "preload/unwind/unwind.h"

/* What a walk begins with. */
struct full_registers {
	uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15;
};

/*
 * Those of the function that this stands in, as they are right here. It has to be one of ours: our
 * own frames are walked by their own unwind information. A walk may begin there as long as the
 * function has not returned.
 */
static inline __attribute__((always_inline)) void full_registers_here(struct full_registers *at)
{
	__asm__ volatile("leaq 0(%%rip), %%rax\n\t"
			 "movq %%rax, 0(%0)\n\t"
			 "movq %%rsp, 8(%0)\n\t"
			 "movq %%rbp, 16(%0)\n\t"
			 "movq %%rbx, 24(%0)\n\t"
			 "movq %%r12, 32(%0)\n\t"
			 "movq %%r13, 40(%0)\n\t"
			 "movq %%r14, 48(%0)\n\t"
			 "movq %%r15, 56(%0)"
			 :
			 : "r"(at)
			 : "rax", "memory");
}

/*
 * The stack from `at` outwards: ids leaf first, without frames of our own library; XT_ID_TRUNCATED
 * at the end where it cannot go on. Returns how many, at most `most`; just as many means that the
 * stack may go on.
 *
 * Runs on a private stack with signals blocked, and uses 300 bytes of the caller's. 0: no private
 * stack came free, though it yielded the processor for a while.
 */
uint32_t full_walk(struct unwind_state *u, const struct full_registers *at, uint32_t *ids,
		   uint32_t most);

/* What unwind_find_hook looks for; its answer by such a walk, never by libunwind. */
struct full_search {
	uint64_t from; /* the frame of the hook that looks: no answer */
	int (*is_hook)(void *arg, uint64_t frame);
	void *arg;
};
enum unwind_place full_find(struct unwind_state *u, const struct full_registers *at,
			    const struct full_search *search);

#endif
