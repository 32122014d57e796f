/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/phase_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"
#include "analyzer/model/depth_cut.h"

struct phase_stacks {
	uint32_t *slot; /* open addressing: index + 1, 0: free */
	size_t slots;
	uint64_t seed;
};

/* The slot of an entry, or the free one where it belongs. */
static uint32_t *find_slot(const struct phase_stacks *known, const struct stack_totals *stack,
			   uint32_t node, uint32_t phase)
{
	const uint64_t hash = seed_hash(known->seed, (uint64_t)phase << 32 | node);
	size_t at = (hash >> 24) & (known->slots - 1);

	while (known->slot[at] && (stack[known->slot[at] - 1].node != node ||
				   stack[known->slot[at] - 1].phase != phase))
		at = (at + 1) & (known->slots - 1);
	return &known->slot[at];
}

static void set_slots(struct phase_stacks *known, const struct stack_totals *stack, size_t stacks,
		      size_t slots)
{
	free(known->slot);
	known->slots = slots;
	known->slot = xcalloc(slots, sizeof(*known->slot));
	for (size_t i = 0; i < stacks; i++)
		*find_slot(known, stack, stack[i].node, stack[i].phase) = (uint32_t)i + 1;
}

struct phase_stacks *phase_stacks_new(const struct stack_totals *stack, size_t stacks)
{
	struct phase_stacks *known = xcalloc(1, sizeof(*known));
	size_t slots = 1024;

	while (slots < stacks * 2)
		slots *= 2;
	known->seed = seed_make();
	set_slots(known, stack, stacks, slots);
	return known;
}

void phase_stacks_free(struct phase_stacks *known)
{
	if (!known)
		return;
	free(known->slot);
	free(known);
}

uint32_t phase_stacks_find(const struct phase_stacks *known, const struct stack_totals *stack,
			   uint32_t node, uint32_t phase)
{
	const uint32_t *slot = find_slot(known, stack, node, phase);

	return *slot ? *slot - 1 : UINT32_MAX;
}

void phase_stacks_add(struct phase_stacks *known, const struct stack_totals *stack, size_t stacks)
{
	const struct stack_totals *last = &stack[stacks - 1];

	if (stacks * 2 > known->slots)
		set_slots(known, stack, stacks, known->slots * 2);
	else
		*find_slot(known, stack, last->node, last->phase) = (uint32_t)stacks;
}

/* A copy, phase by phase, those of one in their order. */
static struct stack_totals *sort_by_phase(const struct stack_totals *stack, size_t stacks,
					  uint32_t phases)
{
	struct stack_totals *sorted = xreallocarray(NULL, stacks + 1, sizeof(*sorted));
	size_t *next = xcalloc((size_t)phases + 1, sizeof(*next));

	for (size_t i = 0; i < stacks; i++)
		next[stack[i].phase + 1]++;
	for (uint32_t i = 1; i < phases; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < stacks; i++)
		sorted[next[stack[i].phase]++] = stack[i];
	free(next);
	return sorted;
}

struct stack_totals *phase_stacks_cut(const struct stack_totals *stack, size_t stacks,
				      uint32_t phases, struct stack_tree *tree, uint32_t depth,
				      size_t *left)
{
	struct stack_totals *by_phase = sort_by_phase(stack, stacks, phases);
	size_t from = 0;

	*left = 0;
	while (from < stacks) {
		size_t to = from, kept;

		while (to < stacks && by_phase[to].phase == by_phase[from].phase)
			to++;
		kept = depth_cut_run(tree, by_phase + from, to - from, depth);
		memmove(by_phase + *left, by_phase + from, kept * sizeof(*by_phase));
		*left += kept;
		from = to;
	}
	return by_phase;
}

size_t phase_stacks_unite(struct stack_totals *stack, size_t stacks, struct stack_tree *tree)
{
	size_t kept = 0;

	for (size_t i = 0; i < stacks; i++)
		tree->node[stack[i].node].value = STACK_TREE_NO_VALUE;
	for (size_t i = 0; i < stacks; i++) {
		uint32_t *const value = &tree->node[stack[i].node].value;

		if (*value == STACK_TREE_NO_VALUE) {
			*value = (uint32_t)kept;
			stack[kept++] = stack[i];
		} else {
			stack_totals_add(&stack[*value], &stack[i]);
		}
	}
	return kept;
}
