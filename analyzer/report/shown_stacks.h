/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stacks of a result as they are shown: names instead of addresses, without start-up frames
 * (startup.h), stacks whose names are all equal made one.
 */
#ifndef XALLOC_REPORT_SHOWN_STACKS_H
#define XALLOC_REPORT_SHOWN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/replay.h"
#include "analyzer/model/result.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/report/metric.h"
#include "analyzer/symbols/line_table.h"
#include "analyzer/symbols/symbolizer.h"

struct shown_stack {
	struct stack_totals sum; /* sum.node is a node for shown_stacks_parent and _frame */
	uint64_t merged;         /* stacks of different addresses that are shown as this one */
	uint32_t first;          /* the last of the result's that are, by its index; the others:
				    shown_stacks_next */
};

struct shown_stacks;

/* Names every stack. Both are borrowed and must outlive what is returned. folds_std: without the
 * frames of std_frames.h, but for an outermost one. */
struct shown_stacks *shown_stacks_new(const struct frame_names *frames, const struct result *result,
				      bool folds_std);
void shown_stacks_free(struct shown_stacks *stacks); /* NULL is fine */

/* Allocation calls whose stack is shown below "[frames elided]" and "[truncated]". */
uint64_t shown_stacks_elided_calls(const struct shown_stacks *stacks);
uint64_t shown_stacks_truncated_calls(const struct shown_stacks *stacks);

/* All of them, in no order that means anything. */
size_t shown_stacks_count(const struct shown_stacks *stacks);
const struct shown_stack *shown_stacks_at(const struct shown_stacks *stacks, size_t number);
/* Of the result's stacks that are shown as one, the next behind the one of that index, or
 * SHOWN_STACKS_END. */
#define SHOWN_STACKS_END UINT32_MAX
uint32_t shown_stacks_next(const struct shown_stacks *stacks, uint32_t index);
/* The lowest index of those that are shown as this one. */
uint32_t shown_stacks_earliest(const struct shown_stacks *stacks, const struct shown_stack *stack);

/* Nodes are below this. */
uint32_t shown_stacks_nodes(const struct shown_stacks *stacks);

/* A name of a node that is not 0, and the node of its caller: 0 behind the outermost frame. */
const struct frame_name *shown_stacks_frame(const struct shown_stacks *stacks, uint32_t node);
uint32_t shown_stacks_parent(const struct shown_stacks *stacks, uint32_t node);

/*
 * The frames of a shown stack from the innermost, with their addresses. They are all of one stack
 * of the result: of those shown as this one, the first that has most of the metric.
 */
struct shown_walk {
	const struct shown_stacks *stacks;
	uint32_t shown, node; /* the next frame's, in the tree of names and in the result's */
	const struct frame_name *outer; /* what comes before node: the last frame was inlined */
};
struct shown_walk shown_stacks_walk(const struct shown_stacks *stacks,
				    const struct shown_stack *stack, enum metric metric);
/* The same of the stack of the result that has the lowest index: the first one to allocate. */
struct shown_walk shown_stacks_walk_earliest(const struct shown_stacks *stacks,
					     const struct shown_stack *stack);
/* NULL behind the outermost frame. */
const struct frame_name *shown_walk_next(struct shown_walk *walk);

/* The metric over all stacks; blocks as metric_blocks. */
struct shown_sum {
	uint64_t weight, blocks;
};
struct shown_sum shown_stacks_sum(const struct shown_stacks *stacks, enum metric metric);

/* Stacks of one metric, the heaviest first, equal ones by their names from the root. */
struct shown_list {
	const struct shown_stack **stack;
	size_t count;
	size_t all;                 /* how many there are without the limit */
	uint64_t rest, rest_blocks; /* of those that are left out */
};

/* At most `top` (0: all) of the stacks with any weight or block. Release by free(list.stack). */
struct shown_list shown_stacks_list(const struct shown_stacks *stacks, enum metric metric,
				    uint64_t top);

#endif
