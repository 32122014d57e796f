/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/stack_tree.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

#define FIRST_SLOTS 1024u

static uint32_t hash(uint32_t node, uint32_t frame)
{
	uint64_t x = ((uint64_t)node << 32 | frame) * 0x9E3779B97F4A7C15u;

	return (uint32_t)((x ^ x >> 32) * 0xD6E8FEB86659FD93u >> 32);
}

struct stack_tree *stack_tree_new(void)
{
	struct stack_tree *tree = xcalloc(1, sizeof(*tree));

	tree->capacity = FIRST_SLOTS / 2;
	tree->node = xreallocarray(NULL, tree->capacity, sizeof(*tree->node));
	tree->slot = xcalloc(FIRST_SLOTS, sizeof(*tree->slot));
	tree->slot_mask = FIRST_SLOTS - 1;
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
	uint32_t at = hash(node, frame) & tree->slot_mask;

	for (; tree->slot[at]; at = (at + 1) & tree->slot_mask) {
		const uint32_t found = tree->slot[at];

		if (tree->node[found].parent == node && tree->node[found].frame == frame) {
			tree->node[node].child = found;
			return found;
		}
	}
	return 0;
}

static void slot_set(struct stack_tree *tree, uint32_t node)
{
	uint32_t at = hash(tree->node[node].parent, tree->node[node].frame) & tree->slot_mask;

	while (tree->slot[at])
		at = (at + 1) & tree->slot_mask;
	tree->slot[at] = node;
}

static void grow_slots(struct stack_tree *tree)
{
	const uint64_t slots = ((uint64_t)tree->slot_mask + 1) * 2;

	free(tree->slot);
	tree->slot = xcalloc(slots, sizeof(*tree->slot));
	tree->slot_mask = (uint32_t)(slots - 1);
	for (uint32_t i = 1; i < tree->count; i++)
		slot_set(tree, i);
}

uint32_t stack_tree_child(struct stack_tree *tree, uint32_t node, uint32_t frame)
{
	uint32_t child = stack_tree_find(tree, node, frame);

	if (child)
		return child;
	if (tree->count == tree->capacity) {
		if (tree->capacity >= STACK_TREE_MAX)
			return 0;
		/* By halves: a tree is the largest thing that an analysis keeps. */
		tree->capacity += tree->capacity / 2;
		tree->node = xreallocarray(tree->node, tree->capacity, sizeof(*tree->node));
	}
	/* Up to three quarters full: 5 to 11 bytes a node. */
	if (tree->count >= (tree->slot_mask >> 2) * 3)
		grow_slots(tree);
	child = tree->count++;
	tree->node[child] = (struct stack_node){ node, frame, 0, STACK_TREE_NO_VALUE };
	tree->node[node].child = child;
	slot_set(tree, child);
	return child;
}

uint32_t stack_tree_depth(const struct stack_tree *tree, uint32_t node)
{
	uint32_t depth = 0;

	for (; node; node = tree->node[node].parent)
		depth++;
	return depth;
}
