/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/step_nodes.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

struct step_node {
	uint32_t parent, frame;
};

struct step_number {
	uint32_t node, depth;
};

struct step_nodes {
	struct step_node *node;
	struct step_number *number; /* from 1 */
	uint32_t count, capacity, numbers;
};

struct step_nodes *step_nodes_new(void)
{
	struct step_nodes *nodes = xcalloc(1, sizeof(*nodes));

	nodes->number = xreallocarray(NULL, XT_STACKS_MAX + 1, sizeof(*nodes->number));
	return nodes;
}

void step_nodes_free(struct step_nodes *nodes)
{
	free(nodes->node);
	free(nodes->number);
	free(nodes);
}

void step_nodes_forget(struct step_nodes *nodes)
{
	nodes->count = 0;
	nodes->numbers = 0;
}

uint32_t step_nodes_add(struct step_nodes *nodes, uint32_t parent, uint32_t frame)
{
	if (nodes->count == nodes->capacity) {
		nodes->capacity = nodes->capacity * 2 + 256;
		nodes->node = xreallocarray(nodes->node, nodes->capacity, sizeof(*nodes->node));
	}
	nodes->node[nodes->count] = (struct step_node){ parent, frame };
	return nodes->count++;
}

uint32_t step_nodes_parent(const struct step_nodes *nodes, uint32_t node)
{
	return nodes->node[node].parent;
}

uint32_t step_nodes_frame(const struct step_nodes *nodes, uint32_t node)
{
	return nodes->node[node].frame;
}

void step_nodes_number(struct step_nodes *nodes, uint32_t node, uint32_t depth)
{
	if (nodes->numbers < XT_STACKS_MAX)
		nodes->number[++nodes->numbers] = (struct step_number){ node, depth };
}

bool step_nodes_numbered(const struct step_nodes *nodes, uint64_t number, uint32_t *node,
			 uint32_t *depth)
{
	if (!number || number > nodes->numbers)
		return false;
	*node = nodes->number[number].node;
	*depth = nodes->number[number].depth;
	return true;
}
