/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that grow step by step, and what that costs. A step is a realloc that makes a block
 * larger, or a replacement: a thread allocates a larger block from the stack that an older one of
 * its own came from, and frees that one before its next allocation call, as containers do that copy
 * what they hold (std::vector). A series is a block and the steps that follow from it.
 *
 * Had the first block of each series been as large as its last one, no step would have been needed:
 * neither the call nor what it copied.
 */
#ifndef XALLOC_REPORT_GROWTH_COPIES_H
#define XALLOC_REPORT_GROWTH_COPIES_H

#include <stdint.h>

#include "analyzer/model/live_set.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/thread_table.h"
#include "analyzer/report/stack_rows.h"

/* Figures of a stack: of the call that makes the step. */
enum growth_copies_figure {
	GROWTH_COPIES_IN_PLACE,       /* reallocs that grew and kept their address */
	GROWTH_COPIES_MOVED,          /* that grew and did not */
	GROWTH_COPIES_MOVED_BYTES,    /* the old sizes of those */
	GROWTH_COPIES_REPLACED,       /* replacements */
	GROWTH_COPIES_REPLACED_BYTES, /* the old sizes of those: at most so many were copied */
	GROWTH_COPIES_SERIES,         /* whose first step this is */
	GROWTH_COPIES_OTHER,          /* reallocs that are no step: not larger */
	GROWTH_COPIES_COPIED          /* both sums of bytes */
};

struct growth_copies_latest { /* allocation call of a thread */
	struct selected_block block;
	bool is_open; /* no block was replaced by it yet */
};

struct growth_copies {
	struct stack_figure_table stacks;
	struct selection_view view; /* to be given to the replay */
	/* its own */
	struct selected_block old; /* of the realloc whose new block is told next */
	bool has_old;
	struct thread_table threads;
	struct growth_copies_latest *latest;
	uint32_t room;
	struct live_set grown; /* live blocks that a step made */
};

/* Must stay where it is while view is in use. */
void growth_copies_init(struct growth_copies *copies);
void growth_copies_release(struct growth_copies *copies);

#endif
