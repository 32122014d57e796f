/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All stacks of a trace as one prefix tree of frame ids: a node is a stack, its parent the same
 * stack without the innermost frame. Node 0 is the root, the empty stack. A parent's number is
 * below its children's. 16 bytes a node and 9 to 18 for finding it.
 */
#ifndef XALLOC_TRACE_STACK_TREE_H
#define XALLOC_TRACE_STACK_TREE_H

#include <stdint.h>

#define STACK_TREE_NO_VALUE UINT32_MAX
#define STACK_TREE_MAX (UINT32_C(1) << 31) /* nodes */

struct stack_node {
	uint32_t parent;
	uint32_t frame; /* a frame id, or XT_ID_TRUNCATED or XT_ID_ELIDED below the root */
	uint32_t child; /* the one found last, 0: none. Most stacks are like the one before */
	uint32_t value; /* the owner's, STACK_TREE_NO_VALUE at first */
};

struct stack_slot {
	uint32_t node; /* 0: free */
	uint32_t hash; /* of its parent and frame */
};

struct stack_tree {
	struct stack_node *node;
	uint32_t count;
	uint32_t capacity;
	struct stack_slot *slot;
	uint32_t slot_mask;
	uint64_t seed;
};

struct stack_tree *stack_tree_new(void);
void stack_tree_free(struct stack_tree *tree);

/* The child of node with that frame, or 0. frame is never 0. */
uint32_t stack_tree_find_slow(struct stack_tree *tree, uint32_t node, uint32_t frame);
/* A new child, which must not be there yet; 0 when the tree is full. */
uint32_t stack_tree_add(struct stack_tree *tree, uint32_t node, uint32_t frame);
/* The child of node with that frame, added when it is not there; 0 when the tree is full. */
uint32_t stack_tree_child(struct stack_tree *tree, uint32_t node, uint32_t frame);

static inline uint32_t stack_tree_find(struct stack_tree *tree, uint32_t node, uint32_t frame)
{
	const uint32_t child = tree->node[node].child;

	if (child && tree->node[child].frame == frame)
		return child;
	return stack_tree_find_slow(tree, node, frame);
}

/* 0 for the root. */
static inline uint32_t stack_tree_parent(const struct stack_tree *tree, uint32_t node)
{
	return tree->node[node].parent;
}

/* The innermost frame of the stack; XT_ID_NONE for the root. */
static inline uint32_t stack_tree_frame(const struct stack_tree *tree, uint32_t node)
{
	return tree->node[node].frame;
}

/* Nodes from the root, which is 0; takes as many steps. */
uint32_t stack_tree_depth(const struct stack_tree *tree, uint32_t node);

#endif
