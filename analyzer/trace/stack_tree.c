/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"
#include "preload/trace/format.h"

#define FIRST_SLOTS 1024u

static uint32_t hash_of(const struct stack_tree *tree, uint32_t node, uint32_t frame)
{
	return (uint32_t)(seed_hash(tree->seed, (uint64_t)node << 32 | frame) >> 32);
}

static void set_capacity(struct stack_tree *tree, uint32_t capacity)
{
	tree->node = xrealloclarge(tree->node, capacity, sizeof(*tree->node));
	tree->capacity = capacity;
}

static void set_slots(struct stack_tree *tree, uint64_t slots)
{
	tree->slot = xrealloclarge(NULL, slots, sizeof(*tree->slot));
	memset(tree->slot, 0, slots * sizeof(*tree->slot));
	tree->slot_mask = (uint32_t)(slots - 1);
}

struct stack_tree *stack_tree_new(void)
{
	struct stack_tree *tree = xcalloc(1, sizeof(*tree));

	tree->seed = seed_make();
	set_capacity(tree, FIRST_SLOTS / 2);
	set_slots(tree, FIRST_SLOTS);
	tree->node[0] = (struct stack_node){ 0, XT_ID_NONE, 0, STACK_TREE_NO_VALUE };
	tree->count = 1;
	return tree;
}

void stack_tree_free(struct stack_tree *tree)
{
	if (!tree)
		return;
	free(tree->node);
	free(tree->slot);
	free(tree);
}

uint32_t stack_tree_find_slow(struct stack_tree *tree, uint32_t node, uint32_t frame)
{
	const uint32_t hash = hash_of(tree, node, frame);
	uint32_t at = hash & tree->slot_mask;

	for (; tree->slot[at].node; at = (at + 1) & tree->slot_mask) {
		const uint32_t found = tree->slot[at].node;

		if (tree->slot[at].hash == hash && tree->node[found].parent == node &&
		    tree->node[found].frame == frame) {
			tree->node[node].child = found;
			return found;
		}
	}
	return 0;
}

static void put_slot(struct stack_tree *tree, struct stack_slot slot)
{
	uint32_t at = slot.hash & tree->slot_mask;

	while (tree->slot[at].node)
		at = (at + 1) & tree->slot_mask;
	tree->slot[at] = slot;
}

static void grow_slots(struct stack_tree *tree)
{
	const uint64_t slots = (uint64_t)tree->slot_mask + 1;
	struct stack_slot *old = tree->slot;

	set_slots(tree, slots * 2);
	for (uint64_t i = 0; i < slots; i++) {
		if (old[i].node)
			put_slot(tree, old[i]);
	}
	free(old);
}

uint32_t stack_tree_add(struct stack_tree *tree, uint32_t node, uint32_t frame)
{
	const uint32_t child = tree->count;

	if (child == tree->capacity) {
		if (child >= STACK_TREE_MAX)
			return 0;
		/* By halves: a tree is the largest thing that an analysis keeps. */
		set_capacity(tree, child + child / 2);
	}
	if (child >= (tree->slot_mask >> 3) * 7)
		grow_slots(tree);
	tree->count++;
	tree->node[child] = (struct stack_node){ node, frame, 0, STACK_TREE_NO_VALUE };
	tree->node[node].child = child;
	put_slot(tree, (struct stack_slot){ child, hash_of(tree, node, frame) });
	return child;
}

uint32_t stack_tree_child(struct stack_tree *tree, uint32_t node, uint32_t frame)
{
	const uint32_t child = stack_tree_find(tree, node, frame);

	return child ? child : stack_tree_add(tree, node, frame);
}

uint32_t stack_tree_depth(const struct stack_tree *tree, uint32_t node)
{
	uint32_t depth = 0;

	for (; node; node = tree->node[node].parent)
		depth++;
	return depth;
}
