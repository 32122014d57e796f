/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Distinct stacks and their figures, without keeping the stacks: one is told from another by two
 * polynomials of its frame ids modulo 2^61 - 1, at bases drawn at random for each run. Two of n
 * stacks are taken for one with a chance below n^2 * 2^-94.
 */
#ifndef XALLOC_VERIFY_STACK_SUMS_H
#define XALLOC_VERIFY_STACK_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/verify/verify.h"

#define STACK_SUMS_NONE UINT32_MAX

struct stack_key {
	uint64_t a, b; /* all 0: the empty stack */
};

struct stack_sum {
	struct stack_key key;
	uint32_t leaf, depth; /* to speak of it: its innermost frame and their number */
	bool is_claimed;      /* the report has it too */
	struct verify_figures figures;
};

struct stack_sums {
	struct stack_sum *sum;
	uint32_t count, capacity;
	uint32_t *slot; /* hash of key -> index + 1 */
	uint32_t slot_mask;
	struct stack_key base, base_to_limit;
	uint32_t limit;
};

/* Stacks of more than `limit` frames are those below one root XT_ID_ELIDED. */
void stack_sums_init(struct stack_sums *sums, uint32_t limit);
void stack_sums_release(struct stack_sums *sums);

/* The key of a stack with one more frame. */
struct stack_key stack_sums_push(const struct stack_sums *sums, struct stack_key key,
				 uint32_t frame);
/* The index of a stack; prefix[i] is the key of its i outermost frames, i from 0 to depth. Added
 * when it is new. */
uint32_t stack_sums_index(struct stack_sums *sums, const struct stack_key *prefix,
			  const uint32_t *frame, uint32_t depth);
/* The same for a stack as it is, or STACK_SUMS_NONE. */
uint32_t stack_sums_find(const struct stack_sums *sums, const uint32_t *frame, uint32_t depth);

#endif
