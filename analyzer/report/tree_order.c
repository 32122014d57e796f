/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/tree_order.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

static int compare_names(const void *left, const void *right, void *data)
{
	const struct symbolizer *symbolizer = data;

	return strcmp(symbolizer_name_text(symbolizer, *(const uint32_t *)left),
		      symbolizer_name_text(symbolizer, *(const uint32_t *)right));
}

/* All nodes but the root, by the text of their name: bucket sort. */
static uint32_t *sort_by_name(const struct stack_tree *tree, const struct symbolizer *symbolizer)
{
	const uint32_t names = symbolizer_name_count(symbolizer);
	uint32_t *sorted = xcalloc((size_t)names + 1, sizeof(*sorted));
	uint32_t *place =
		xcalloc((size_t)names + 1, sizeof(*place)); /* by name: nodes, then where */
	uint32_t *node = xcalloc(tree->count, sizeof(*node));
	uint32_t at = 0;

	for (uint32_t i = 0; i < names; i++)
		sorted[i] = i;
	qsort_r(sorted, names, sizeof(*sorted), compare_names, (void *)(uintptr_t)symbolizer);
	for (uint32_t i = 1; i < tree->count; i++)
		place[stack_tree_frame(tree, i)]++;
	for (uint32_t i = 0; i < names; i++) {
		const uint32_t nodes = place[sorted[i]];

		place[sorted[i]] = at;
		at += nodes;
	}
	for (uint32_t i = 1; i < tree->count; i++)
		node[place[stack_tree_frame(tree, i)]++] = i;
	free(place);
	free(sorted);
	return node;
}

uint32_t *tree_order_build(const struct stack_tree *tree, const struct symbolizer *symbolizer)
{
	uint32_t *node = sort_by_name(tree, symbolizer);
	uint32_t *child = xcalloc(tree->count, sizeof(*child)); /* 0: none */
	uint32_t *sibling = xcalloc(tree->count, sizeof(*sibling));
	uint32_t *rank = xcalloc(tree->count, sizeof(*rank));
	uint32_t next = 0;

	/* From the last name to the first, each put in front: children end up in order. */
	for (uint32_t i = tree->count - 1; i-- > 0;) {
		const uint32_t parent = stack_tree_parent(tree, node[i]);

		sibling[node[i]] = child[parent];
		child[parent] = node[i];
	}
	for (uint32_t at = 0;;) {
		rank[at] = next++;
		if (child[at]) {
			at = child[at];
			continue;
		}
		while (at && !sibling[at])
			at = stack_tree_parent(tree, at);
		if (!at)
			break;
		at = sibling[at];
	}
	free(node);
	free(child);
	free(sibling);
	return rank;
}
