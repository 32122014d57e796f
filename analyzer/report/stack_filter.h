/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which stacks of a trace have a frame of some name, or belong to a group of a rules file: found in
 * a first replay, asked in a second one. Nodes have the same numbers in both, for a trace's chunks
 * are always read in the same order; stack_filter_agrees makes sure.
 */
#ifndef XALLOC_REPORT_STACK_FILTER_H
#define XALLOC_REPORT_STACK_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/replay.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/report/rules.h"
#include "analyzer/trace/stack_tree.h"

struct stack_filter {
	struct stack_tree *tree; /* of the first replay */
	bool *has;               /* by stack of its result */
	size_t stacks, matching;
	uint32_t depth;
	uint32_t highest; /* node that was asked for */
};

/* All stacks match. Takes over the tree of the first replay's result. */
void stack_filter_init(struct stack_filter *filter, struct result *first, uint32_t depth);
void stack_filter_release(struct stack_filter *filter);
/* From here on only stacks of this group match, of those that did; "other" is one, too. */
void stack_filter_keep(struct stack_filter *filter, const struct result *first,
		       const struct rules *rules, const char *group,
		       const struct frame_names *names);

/* For selection_rule.has_stack: owner is the filter, node one of the second replay's tree. */
bool stack_filter_has(void *owner, uint32_t node);
/* Afterwards: false when the two replays were not of the same events. */
bool stack_filter_agrees(const struct stack_filter *filter, const struct stack_tree *second);

#endif
