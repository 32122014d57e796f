/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What changed from some runs to others. Of one run each every difference is a change; of several a
 * change is what lies outside both spreads: the least of the one side is above the greatest of the
 * other. Figures are then the medians, of an even number of runs the lower one of the two.
 */
#ifndef XALLOC_REPORT_DIFF_H
#define XALLOC_REPORT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/runs.h"
#include "analyzer/report/spread.h"

struct diff_figure {
	struct spread before, after;
	bool is_changed;
};

/* A figure of the whole trace, by the name that `totals` gives it. */
struct diff_total {
	const char *name;
	struct diff_figure figure;
};

struct diff_stack {
	const struct runs_row *row;
	struct diff_figure figure;
};

struct diff_group {
	const char *name;
	struct diff_figure figure[METRIC_COUNT];
};

struct diff_table {
	enum metric metric;
	struct diff_figure all;   /* the headline */
	struct diff_stack *stack; /* that changed, the largest change first */
	size_t count, shown;      /* all of them, and how many are to be shown */
	/* Of one run each: what grew and what shrank, in all stacks; and in those not shown. */
	uint64_t grown, shrunk, rest_grown, rest_shrunk;
	size_t same; /* stacks that did not change */
};

struct diff {
	const struct runs *runs; /* not its own; the first `befores` of them are before */
	size_t befores;
	struct diff_total *total;
	size_t totals;
	struct diff_table table[METRIC_COUNT];
	struct diff_group
		*group; /* one each group of the runs; their figures add up to the headlines */
	size_t groups;
};

/* The runs are settled, and at least one is on each side. top: stacks shown of each table, 0: all.
 */
void diff_build(struct diff *diff, const struct runs *runs, size_t befores, uint64_t top);
void diff_release(struct diff *diff);

/* Of values of a side each. */
struct diff_figure diff_figure_of(uint64_t *before, size_t befores, uint64_t *after, size_t afters);
/* After less before, of the medians. */
int64_t diff_change(const struct diff_figure *figure);

#endif
