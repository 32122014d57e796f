/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/depth_cut.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

/* Frames of each node's stack; the marks of a cut are none. A parent comes before its children. */
static uint32_t *count_frames(const struct stack_tree *tree)
{
	uint32_t *frames = xreallocarray(NULL, tree->count, sizeof(*frames));

	frames[0] = 0;
	for (uint32_t i = 1; i < tree->count; i++)
		frames[i] = frames[tree->node[i].parent] + (tree->node[i].frame >= XT_ID_FIRST);
	return frames;
}

/* buffer has room for depth ids. */
static uint32_t cut(struct stack_tree *tree, uint32_t node, uint32_t depth, uint32_t *buffer)
{
	uint32_t short_node = stack_tree_child(tree, 0, XT_ID_ELIDED);

	for (uint32_t i = depth; i; i--) {
		buffer[i - 1] = tree->node[node].frame;
		node = tree->node[node].parent;
	}
	for (uint32_t i = 0; i < depth && short_node; i++)
		short_node = stack_tree_child(tree, short_node, buffer[i]);
	if (!short_node)
		out_of_memory(0);
	return short_node;
}

size_t depth_cut_run(struct stack_tree *tree, struct stack_totals *stack, size_t stacks,
		     uint32_t depth)
{
	uint32_t *frames = count_frames(tree), *buffer;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < stacks && frames[stack[i].node] <= depth; i++)
		;
	if (i == stacks) {
		for (i = 0; i < stacks; i++)
			tree->node[stack[i].node].value = (uint32_t)i;
		free(frames);
		return stacks;
	}
	buffer = xreallocarray(NULL, depth, sizeof(*buffer));
	for (i = 0; i < stacks; i++)
		tree->node[stack[i].node].value = STACK_TREE_NO_VALUE;
	for (i = 0; i < stacks; i++) {
		uint32_t node = stack[i].node, index;

		if (frames[node] > depth)
			node = cut(tree, node, depth, buffer);
		index = tree->node[node].value;
		if (index != STACK_TREE_NO_VALUE) {
			stack_totals_add(&stack[index], &stack[i]);
			continue;
		}
		tree->node[node].value = (uint32_t)kept;
		stack[kept] = stack[i];
		stack[kept++].node = node;
	}
	free(frames);
	free(buffer);
	return kept;
}

uint32_t depth_cut_index(struct stack_tree *tree, uint32_t node, uint32_t depth)
{
	uint32_t *buffer = xreallocarray(NULL, depth, sizeof(*buffer));
	uint32_t frames = 0, index;

	for (uint32_t at = node; at; at = tree->node[at].parent)
		frames += tree->node[at].frame >= XT_ID_FIRST;
	if (frames > depth)
		node = cut(tree, node, depth, buffer);
	index = tree->node[node].value;
	free(buffer);
	return index;
}
