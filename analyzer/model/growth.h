/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the live bytes of each stack go from iteration mark to iteration mark (preload/xalloc.h): at
 * most GROWTH_SAMPLES marks, evenly spaced; of a longer run every second, fourth ... one.
 */
#ifndef XALLOC_MODEL_GROWTH_H
#define XALLOC_MODEL_GROWTH_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"
#include "analyzer/trace/stack_tree.h"

#define GROWTH_SAMPLES 64u

struct growth_sample {
	uint64_t iteration; /* its number, from 1 */
	uint64_t *live;     /* by stack: of the replay, after growth_finish of the result */
	size_t stacks;      /* that there were then */
	uint64_t all;       /* of all stacks */
};

/* All zeros is one without samples. */
struct growth {
	struct growth_sample sample[GROWTH_SAMPLES];
	uint32_t samples;
	uint64_t iterations; /* that were seen */
	uint64_t stride;     /* every so many of them is a sample; 0: none was seen */
};

void growth_release(struct growth *growth);

/* The next iteration begins: stack is what the replay has now, each `step` apart. */
void growth_mark(struct growth *growth, const struct stack_totals *stack, size_t stacks,
		 size_t step);

/* From the replay's stacks to the result's: where[i] is the index of the one that stack i became
 * part of, of `stacks`; UINT32_MAX: of none, and it never held anything. */
void growth_finish(struct growth *growth, const uint32_t *where, size_t stacks);

#endif
