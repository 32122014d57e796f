/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One trace as a budget looks at it: the figure of a limit, and the stacks that make it up. */
#ifndef XALLOC_REPORT_MEASURED_H
#define XALLOC_REPORT_MEASURED_H

#include <stdbool.h>

#include "analyzer/model/phase_parts.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/limits.h"
#include "analyzer/report/rss_file.h"
#include "analyzer/report/shown_stacks.h"
#include "analyzer/report/summary.h"

/* A second replay of the trace, for what a budget has limits on and the first does not tell. */
struct measured_parts {
	const struct result *result;
	const struct summary *summary; /* of figures at least */
	const struct phase_part *part; /* one for each of limits.part */
};

/* All borrowed. */
struct measured {
	const struct result *result;
	const struct summary *summary;      /* of figures at least */
	const struct rules *rules;          /* NULL: the budget has no groups */
	const struct rss_file *rss;         /* NULL: none is given */
	const struct measured_parts *parts; /* NULL: the budget needs none */
	const double *unexplained; /* percent of the peak of RSS; NULL: it was not reconciled */
};

/* Why there is no figure is a text that the caller owns; NULL: *value is there. */
char *measured_figure(const struct measured *measured, const struct limit *limit, double *value);

/* Whether any stack of the trace, in whatever phase and thread, has what the limit names; true when
 * it names no group and no function. */
bool measured_has_stacks(const struct measured *measured, const struct limit *limit);

/* The stacks that a limit is about. */
struct measured_stacks {
	struct result part;         /* these stacks, and the totals that they add up to */
	struct stack_totals *owned; /* those of part when they are not the result's */
	bool has_groups;
	struct groups groups;      /* of part */
	struct group_stacks group; /* that of the limit */
	struct shown_stacks *stacks;
	const struct result *of; /* the result of `stacks` */
	enum metric metric;      /* what they are weighed by */
	const char *by; /* its name; "growth" where that of live bytes is meant, "peak blocks" and
			   "leaked blocks" with weighs_blocks */
	bool weighs_blocks; /* in place of bytes, which the stacks have blocks for then */
	uint64_t turns;     /* what was between so many pairs of iteration marks; 0: all */
};
/* Only of a limit that has a figure and whose metric has a table. */
void measured_stacks_build(struct measured_stacks *stacks, const struct measured *measured,
			   const struct limit *limit);
void measured_stacks_release(struct measured_stacks *stacks);

#endif
