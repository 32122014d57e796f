/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heaps that a program carves up itself and tells of (preload/xalloc.h): each by itself, apart
 * from the allocator's and from each other. */
#ifndef XALLOC_MODEL_POOLS_H
#define XALLOC_MODEL_POOLS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/stack_tree.h"

#define POOLS_MAX 1024u /* names; what comes after them is all of the last one */

struct pool_state;

struct pools {
	struct pool_state *state;
	struct pool *pool;
	uint32_t count;
	uint32_t *of_text; /* by text: pool + 1, 0: none */
	uint32_t texts;
};

/* The event is an EVENT_POOL. */
void pools_apply(struct pools *pools, const struct event *event);
/* Settles all figures; stacks deeper than depth are cut in the tree. told gets the pools, whose
 * names are told's texts, and totals what they come to. */
void pools_finish(struct pools *pools, struct stack_tree *tree, uint32_t depth,
		  struct totals *totals, struct told *told);

#endif
