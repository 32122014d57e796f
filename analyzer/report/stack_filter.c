/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/stack_filter.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/depth_cut.h"
#include "analyzer/report/groups.h"
#include "preload/trace/format.h"

void stack_filter_init(struct stack_filter *filter, struct result *first, uint32_t depth)
{
	if (!depth || depth > XT_DEPTH_MAX)
		depth = XT_DEPTH_MAX;
	*filter = (struct stack_filter){ .tree = first->tree,
					 .stacks = first->stacks,
					 .matching = first->stacks,
					 .depth = depth };
	filter->has = xcalloc(first->stacks + 1, sizeof(*filter->has));
	for (size_t i = 0; i < first->stacks; i++)
		filter->has[i] = true;
}

void stack_filter_release(struct stack_filter *filter)
{
	stack_tree_free(filter->tree);
	free(filter->has);
}

void stack_filter_keep(struct stack_filter *filter, const struct result *first,
		       const struct rules *rules, const char *group,
		       const struct frame_names *names)
{
	struct groups groups;
	uint32_t which;

	groups_build(&groups, rules, NULL, first, names);
	which = (uint32_t)(groups_find(&groups, group) - groups.group);
	filter->matching = 0;
	for (size_t i = 0; i < filter->stacks; i++) {
		filter->has[i] &= groups.group_of[i] == which;
		filter->matching += filter->has[i];
	}
	groups_release(&groups);
}

bool stack_filter_has(void *owner, uint32_t node)
{
	struct stack_filter *filter = owner;
	uint32_t stack;

	if (node > filter->highest)
		filter->highest = node;
	if (node >= filter->tree->count)
		return false;
	stack = depth_cut_index(filter->tree, node, filter->depth);
	return stack < filter->stacks && filter->has[stack];
}

bool stack_filter_agrees(const struct stack_filter *filter, const struct stack_tree *second)
{
	const struct stack_node *a = filter->tree->node, *b = second->node;

	if (filter->highest >= filter->tree->count)
		return false;
	for (uint32_t i = 1; i <= filter->highest; i++)
		if (a[i].parent != b[i].parent || a[i].frame != b[i].frame)
			return false;
	return true;
}
