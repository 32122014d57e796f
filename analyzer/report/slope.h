/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one more unit of work costs: of each figure the straight line through runs that did
 * different amounts of work, by least squares; through two it is exact. What does not depend on the
 * work, as start-up, is in the line's beginning and in no slope.
 */
#ifndef XALLOC_REPORT_SLOPE_H
#define XALLOC_REPORT_SLOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"
#include "analyzer/report/filtered.h"

#define SLOPE_RUNS 9

struct slope_run {
	const char *path; /* not its own */
	uint64_t work;
	struct totals totals;
	bool is_filtered; /* the totals are of the part that `filtered` says */
	struct filtered filtered;
};

struct slope_row {
	const char *name;           /* as in `totals` of summary --json */
	uint64_t value[SLOPE_RUNS]; /* of each run, by work */
	double slope, start;        /* value = start + slope * work */
	bool is_exact;   /* every value lies on the line, and the slope is a whole number */
	double residual; /* the farthest value's distance from the line */
};

struct slope {
	struct slope_run run[SLOPE_RUNS]; /* by work */
	size_t runs;
	struct slope_row *row;
	size_t rows;
};

/* run: at least two, not two of the same work. */
void slope_build(struct slope *slope, const struct slope_run *run, size_t runs);
void slope_release(struct slope *slope);

#endif
