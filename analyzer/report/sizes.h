/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What sizes are requested, and what the allocator adds to them: usable bytes of a block beyond
 * those requested are its slack.
 */
#ifndef XALLOC_REPORT_SIZES_H
#define XALLOC_REPORT_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/live_set.h"
#include "analyzer/model/peak.h"
#include "analyzer/model/result.h"
#include "analyzer/model/selection.h"
#include "analyzer/report/stack_rows.h"

#define SIZE_CLASSES 65u

/* Of one size, or of a class of them; sum.node has no meaning. */
struct size_sum {
	uint64_t size;
	struct stack_totals sum; /* temporary is not counted */
};

/* Figures of a stack. */
enum sizes_figure {
	SIZES_SLACK_PEAK, /* bytes, of what is live at the peak */
	SIZES_SLACK_CALLS /* of all calls */
};

struct sizes {
	struct size_sum *size; /* after sizes_finish: the most calls first */
	size_t count;
	struct size_sum by_class[SIZE_CLASSES]; /* base/number.h has the classes */
	bool has_slack;                         /* the allocator's rule is known */
	struct stack_figure_table stacks;
	struct selection_view view; /* to be given to the replay */
	/* its own */
	size_t room;
	uint32_t *slot; /* hash of a size -> its index + 1 */
	size_t slots;
	uint64_t seed;
	struct peak peak, slack_peak;
	struct stack_totals *slack; /* by stack: bytes are slack */
	size_t slacks;
	struct live_set odd; /* blocks whose usable size is not the rule's: size is by how much */
};

/* Must stay where it is while view is in use. */
void sizes_init(struct sizes *sizes);
void sizes_finish(struct sizes *sizes); /* after the replay */
void sizes_release(struct sizes *sizes);

#endif
