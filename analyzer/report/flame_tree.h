/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shown stacks as one tree from the root, each frame with the sums of all stacks that go
 * through it. Of a large tree the frames with the greatest shares are kept; what is left out below
 * one of them is one node, so that sums stay exact.
 */
#ifndef XALLOC_REPORT_FLAME_TREE_H
#define XALLOC_REPORT_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/shown_stacks.h"

struct flame_node {
	uint32_t parent;   /* the place of its caller, which comes before it; 0 of the first, too */
	uint32_t left_out; /* it stands for so many callees of its parent; 0: it is a frame */
	const struct frame_name
		*frame; /* NULL of the first, which is all, and of what is left out */
	uint64_t sum[METRIC_COUNT];
};

struct flame_tree {
	struct flame_node *node;
	size_t count;
	size_t frames, kept; /* in the stacks, and of these in the tree */
};

/* Keeps at most so many frames: those whose share of any metric is the greatest. Borrows stacks. */
void flame_tree_build(struct flame_tree *tree, const struct shown_stacks *stacks, size_t most);
void flame_tree_release(struct flame_tree *tree);

#endif
