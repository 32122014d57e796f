/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/column_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

#define ESCAPE 15u /* in a stack byte: a varint with the number follows */

void column_stacks_init(struct column_stacks *stacks)
{
	*stacks = (struct column_stacks){
		.tree = stack_tree_new(),
		.path = xcalloc(XT_STACK_MAX + 1, sizeof(*stacks->path)),
		.next = xcalloc(XT_STACK_MAX + 1, sizeof(*stacks->next)),
		.read = xcalloc(XT_STACKS_MAX, sizeof(*stacks->read)),
		.written = xcalloc(XT_STACKS_MAX, sizeof(*stacks->written)),
	};
}

void column_stacks_release(struct column_stacks *stacks)
{
	stack_tree_free(stacks->tree);
	free(stacks->path);
	free(stacks->next);
	free(stacks->read);
	free(stacks->written);
	*stacks = (struct column_stacks){ .tree = NULL };
}

void column_stacks_begin_read(struct column_stacks *stacks)
{
	stacks->reads = 0;
	stacks->depth = 0;
}

void column_stacks_begin_write(struct column_stacks *stacks)
{
	while (stacks->writes)
		stacks->tree->node[stacks->written[--stacks->writes]].value = STACK_TREE_NO_VALUE;
}

void column_stacks_clear(struct column_stacks *stacks)
{
	stacks->depth = 0;
}

bool column_stacks_read(struct column_stacks *stacks, struct xt_cursor *in)
{
	const uint8_t head = xt_get_byte(in);
	uint64_t pops = head >> 4, pushes = head & 0xF;
	uint32_t depth;

	if (pops == ESCAPE)
		pops = xt_get_varint(in);
	if (pushes == ESCAPE)
		pushes = xt_get_varint(in);
	if (in->bad || pops > stacks->depth ||
	    pushes > XT_STACK_MAX - (stacks->depth - (uint32_t)pops))
		return false;
	depth = stacks->common = stacks->depth - (uint32_t)pops;
	stacks->next[depth] = stacks->path[depth];
	for (; pushes; pushes--, depth++) {
		const uint64_t id = xt_get_varint(in);

		if (!id || id >= XT_IDS_MAX)
			return false;
		stacks->next[depth + 1] =
			stack_tree_child(stacks->tree, stacks->next[depth], (uint32_t)id);
		if (!stacks->next[depth + 1])
			return false;
	}
	stacks->next_depth = depth;
	return true;
}

bool column_stacks_call(struct column_stacks *stacks, uint64_t number)
{
	uint32_t node, at;

	if (!number || number > stacks->reads)
		return false;
	node = stacks->read[number - 1];
	at = stacks->next_depth = stack_tree_depth(stacks->tree, node);
	for (; at && (at > stacks->depth || stacks->path[at] != node); at--) {
		stacks->next[at] = node;
		node = stack_tree_parent(stacks->tree, node);
	}
	stacks->common = at;
	stacks->next[at] = stacks->path[at];
	return true;
}

uint32_t column_stacks_number(const struct column_stacks *stacks)
{
	const uint32_t value = stacks->tree->node[stacks->next[stacks->next_depth]].value;

	return value == STACK_TREE_NO_VALUE ? 0 : value;
}

void column_stacks_take(struct column_stacks *stacks, bool has_read, bool has_written)
{
	const uint32_t node = stacks->next[stacks->next_depth];

	memcpy(stacks->path + stacks->common, stacks->next + stacks->common,
	       (stacks->next_depth - stacks->common + 1) * sizeof(*stacks->path));
	stacks->depth = stacks->next_depth;
	if (has_read && stacks->reads < XT_STACKS_MAX)
		stacks->read[stacks->reads++] = node;
	if (has_written && stacks->writes < XT_STACKS_MAX) {
		stacks->written[stacks->writes++] = node;
		stacks->tree->node[node].value = stacks->writes;
	}
}
