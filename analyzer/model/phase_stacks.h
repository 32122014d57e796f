/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which entry of the stacks is that of a node in a phase: 8 bytes or more for each. */
#ifndef XALLOC_MODEL_PHASE_STACKS_H
#define XALLOC_MODEL_PHASE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"
#include "analyzer/trace/stack_tree.h"

struct phase_stacks;

/* With the entries that there are. */
struct phase_stacks *phase_stacks_new(const struct stack_totals *stack, size_t stacks);
void phase_stacks_free(struct phase_stacks *known); /* NULL is fine */

/* The index of the entry, or UINT32_MAX. */
uint32_t phase_stacks_find(const struct phase_stacks *known, const struct stack_totals *stack,
			   uint32_t node, uint32_t phase);
/* The last of them is new. */
void phase_stacks_add(struct phase_stacks *known, const struct stack_totals *stack, size_t stacks);
/* A copy, phase by phase, those of one in their order, and cut as depth_cut_run does; how many are
 * left. phases: how many there are. Owned by the caller. */
struct stack_totals *phase_stacks_cut(const struct stack_totals *stack, size_t stacks,
				      uint32_t phases, struct stack_tree *tree, uint32_t depth,
				      size_t *left);
/* One entry for each node, with the figures of all phases, in the order of the first of each; how
 * many that are. The values of the tree's nodes become their indexes. */
size_t phase_stacks_unite(struct stack_totals *stack, size_t stacks, struct stack_tree *tree);

#endif
