/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long blocks live: not by a clock, which says something of a machine, but by what the program
 * allocates meanwhile, all of its threads together: the number of allocation calls between a
 * block's own and its end, and the bytes that these requested.
 */
#ifndef XALLOC_REPORT_LIFETIMES_H
#define XALLOC_REPORT_LIFETIMES_H

#include <stdint.h>

#include "analyzer/model/live_set.h"
#include "analyzer/model/selection.h"
#include "analyzer/report/stack_rows.h"

#define LIFETIME_CLASSES 65u

/* Class 0 is a life of 0, class i of 2^(i-1) to 2^i - 1. */
struct lifetime_class {
	uint64_t blocks, bytes; /* requested by them */
};

/* Figures of a stack. */
enum lifetime_figure {
	LIFETIME_ENDED, /* blocks */
	LIFETIME_LIVE,  /* blocks that were given and have not ended */
	LIFETIME_CALLS, /* sum of those lived through, of blocks that ended */
	LIFETIME_BYTES, /* the same, requested meanwhile; at most UINT64_MAX */
	LIFETIME_GIVEN  /* bytes requested by all */
};

struct lifetimes {
	struct lifetime_class by_calls[LIFETIME_CLASSES], by_bytes[LIFETIME_CLASSES];
	struct lifetime_class ended, live; /* all that ended; those that have not */
	struct stack_figure_table stacks;
	struct selection_view view; /* to be given to the replay */
	/* its own */
	const struct selection *selection;
	struct live_set births; /* size: bytes before, stack and thread: calls */
};

/* Must stay where it is while view is in use. */
void lifetimes_init(struct lifetimes *lifetimes);
void lifetimes_release(struct lifetimes *lifetimes);

#endif
