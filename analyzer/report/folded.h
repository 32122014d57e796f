/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All stacks of one metric, for flame graphs. */
#ifndef XALLOC_REPORT_FOLDED_H
#define XALLOC_REPORT_FOLDED_H

#include <stdint.h>

#include "analyzer/report/filtered.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/shown_stacks.h"
#include "analyzer/report/suppressed.h"

struct folded {
	const struct shown_stacks *stacks;
	enum metric metric;
	uint64_t total; /* the headline: weights of the list and list.rest add up to it */
	struct shown_list list; /* stacks that have weight */
	const struct totals *totals;
	const struct filtered *filtered; /* what it is of; NULL, as built: the whole trace */
	const struct suppressed_leaks *suppressed; /* NULL, as built: nothing was */
	struct leaks_left left;
};

/* Borrows stacks. top: 0 is all; what is left out is in list.rest. */
void folded_build(struct folded *folded, const struct shown_stacks *stacks,
		  const struct totals *totals, enum metric metric, uint64_t top);
void folded_release(struct folded *folded);

#endif
