/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which number a stack has in a chunk of columns: each that is written frame by frame gets the
 * next, from 1, and is called by it later. Found by a prefix tree of frame ids, as many nodes of it
 * as there is room for: a stack beyond is written frame by frame each time, and still counts.
 */
#ifndef XALLOC_STORE_STACKS_H
#define XALLOC_STORE_STACKS_H

#include <stdint.h>

#include "preload/trace/format.h"

#define STACKS_PLACES 4096u /* with 32,768 chunks became no smaller */

struct stacks {
	uint32_t used, numbers, depth;
	uint16_t path[XT_STACK_MAX + 1]; /* node of each depth: its place; 0: the empty stack */
	struct {
		uint32_t frame; /* 0: free */
		uint16_t parent;
		uint16_t number; /* of the stack that ends here; 0: none */
	} place[STACKS_PLACES];
};

/* No stack has a number, the current one is empty. */
void stacks_reset(struct stacks *s);

/* The current stack is empty. */
void stacks_clear(struct stacks *s);

/* It changes. -1: it has not so many frames, or would have too many. */
int stacks_pop(struct stacks *s, uint64_t frames);
int stacks_push(struct stacks *s, uint64_t frame);

/* The number by which the current stack can be called; 0: it is written, and gets the next. */
uint32_t stacks_call(struct stacks *s);

#endif
