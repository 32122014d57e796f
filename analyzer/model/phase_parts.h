/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the result of a replay does not have by stacks: what one thread allocated, in one phase or
 * in all; what was live when a phase was highest; and what happened within iterations, from one
 * mark to the next, for as many parts as are asked for.
 *
 * Follows a replay through a selection of all blocks: phase_parts_init, a selection with an empty
 * rule and parts.view, the replay, phase_parts_finish.
 */
#ifndef XALLOC_MODEL_PHASE_PARTS_H
#define XALLOC_MODEL_PHASE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/replay.h"
#include "analyzer/model/selection.h"

/* What one part is of; without a phase or a thread of all of them. */
struct phase_part_rule {
	bool has_thread;
	bool is_of_turns;        /* from one iteration mark of a phase to its next */
	const char *phase;       /* NULL: all */
	uint32_t thread;         /* the number of the one that allocates */
	const char *thread_name; /* all that are called so, in place of it; or NULL */
};

/*
 * stack is as a result's, the first to allocate in the part first. Its peak is what the part's
 * thread held at the phase's own peak, whenever that was allocated; without a phase at the global
 * peak. Of turns there is no peak, and live_bytes and live_blocks are what they grew by: as
 * int64_t, they may be below 0.
 */
struct phase_part {
	struct stack_totals *stack;
	size_t stacks;
	struct totals totals; /* those of the stacks */
};

struct phase_parts {
	struct selection_view view;
	const struct phase_part_rule *rule;
	struct phase_part *part; /* one for each rule; after phase_parts_finish */
	size_t count;
	/* phase_parts.c's own */
	struct part_work *work;
	const struct thread_names *threads;
	uint32_t phases; /* that were on so far, by number */
	uint32_t *node;  /* by the replay's stacks: that of the tree */
	size_t nodes;
	uint64_t live_bytes; /* of all blocks */
};

/* The rules are borrowed. Release either way. */
void phase_parts_init(struct phase_parts *parts, const struct phase_part_rule *rule, size_t count);
void phase_parts_release(struct phase_parts *parts);

/* After the replay, with its result, whose tree the parts' stacks are in; depth: that of the
 * trace's header. */
void phase_parts_finish(struct phase_parts *parts, struct result *result, uint32_t depth);

#endif
