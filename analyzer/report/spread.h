/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One figure over several runs; and which stacks of a program are alike in all of them. */
#ifndef XALLOC_REPORT_SPREAD_H
#define XALLOC_REPORT_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/runs.h"

struct spread {
	uint64_t least, median, most; /* median: of an even number the lower one of the two */
};

/* Sorts the values, of which there is at least one. */
struct spread spread_of(uint64_t *value, size_t count);

struct spread_stack {
	const struct runs_row *row;
	struct spread spread;
};

/* Of one metric. */
struct spread_table {
	enum metric metric;
	struct spread all;
	struct spread_stack *stack; /* those that vary, the widest spread first */
	size_t count, shown;        /* all of them, and how many are to be shown */
	size_t exact;               /* stacks with a weight that is the same in all runs */
	uint64_t exact_weight;      /* in each run */
};

/* The runs are settled. top: stacks shown of each table, 0: all. */
void spread_table_build(struct spread_table *table, const struct runs *runs, enum metric metric,
			uint64_t top);
void spread_table_release(struct spread_table *table);

#endif
