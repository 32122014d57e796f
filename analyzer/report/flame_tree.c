/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/flame_tree.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"

#define NOT_KEPT UINT32_MAX

struct sums {
	uint64_t of[METRIC_COUNT];
};

struct share {
	double most; /* of all metrics; a callee's is never above its caller's */
	uint32_t node;
};

static void add(uint64_t *to, const uint64_t *from)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		to[i] += from[i];
}

/* By node of the shown stacks. Callers have lower numbers than their callees. */
static struct sums *sum_up(const struct shown_stacks *stacks)
{
	const uint32_t nodes = shown_stacks_nodes(stacks);
	struct sums *sums = xcalloc((size_t)nodes + 1, sizeof(*sums));

	for (size_t i = 0; i < shown_stacks_count(stacks); i++) {
		const struct stack_totals *stack = &shown_stacks_at(stacks, i)->sum;

		for (int metric = 0; metric < METRIC_COUNT; metric++)
			sums[stack->node].of[metric] += metric_weight(stack, metric);
	}
	for (uint32_t node = nodes; node-- > 1;)
		add(sums[shown_stacks_parent(stacks, node)].of, sums[node].of);
	return sums;
}

static int compare(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->most != y->most)
		return x->most > y->most ? -1 : 1;
	return x->node < y->node ? -1 : 1; /* a caller before its callees */
}

/* Is there anything of it at all? */
static bool has_any(const struct sums *sums)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		if (sums->of[i])
			return true;
	return false;
}

static size_t find_shares(struct share *share, const struct sums *sums, uint32_t nodes)
{
	size_t count = 0;

	for (uint32_t node = 1; node < nodes; node++) {
		double most = 0;

		if (!has_any(&sums[node]))
			continue;
		for (int i = 0; i < METRIC_COUNT; i++) {
			const double part =
				sums[0].of[i] ? (double)sums[node].of[i] / (double)sums[0].of[i]
					      : 0;

			most = part > most ? part : most;
		}
		share[count++] = (struct share){ most, node };
	}
	qsort(share, count, sizeof(*share), compare);
	return count;
}

static uint32_t add_node(struct flame_tree *tree, uint32_t parent, const struct frame_name *frame,
			 const struct sums *sums)
{
	struct flame_node *node = &tree->node[tree->count];

	*node = (struct flame_node){ .parent = parent, .frame = frame };
	add(node->sum, sums->of);
	return (uint32_t)tree->count++;
}

void flame_tree_build(struct flame_tree *tree, const struct shown_stacks *stacks, size_t most)
{
	const uint32_t nodes = shown_stacks_nodes(stacks);
	struct sums *sums = sum_up(stacks);
	struct share *share = xcalloc((size_t)nodes + 1, sizeof(*share));
	const size_t count = find_shares(share, sums, nodes);
	const size_t kept = count < most ? count : most;
	/* Where a node is in the tree, and where what is left out below it. */
	uint32_t *place = xcalloc((size_t)nodes + 1, sizeof(*place));
	uint32_t *rest = xcalloc(kept + 1, sizeof(*rest));

	*tree = (struct flame_tree){ .node = xcalloc(2 * kept + 2, sizeof(*tree->node)),
				     .frames = count,
				     .kept = kept };
	for (uint32_t node = 1; node < nodes; node++)
		place[node] = NOT_KEPT;
	for (size_t i = 0; i < kept; i++)
		place[share[i].node] = 0;
	add_node(tree, 0, NULL, &sums[0]);
	for (uint32_t node = 1; node < nodes; node++)
		if (place[node] != NOT_KEPT)
			place[node] = add_node(tree, place[shown_stacks_parent(stacks, node)],
					       shown_stacks_frame(stacks, node), &sums[node]);
	for (size_t i = kept; i < count; i++) {
		const uint32_t node = share[i].node;
		const uint32_t parent = place[shown_stacks_parent(stacks, node)];

		if (parent == NOT_KEPT)
			continue;
		if (!rest[parent])
			rest[parent] = add_node(tree, parent, NULL, &sums[node]);
		else
			add(tree->node[rest[parent]].sum, sums[node].of);
		tree->node[rest[parent]].left_out++;
	}
	free(rest);
	free(place);
	free(share);
	free(sums);
}

void flame_tree_release(struct flame_tree *tree)
{
	free(tree->node);
	*tree = (struct flame_tree){ .node = NULL };
}
