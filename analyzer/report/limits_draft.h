/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Budgets that are written for people: a new one from runs, and one lowered to what was reached. */
#ifndef XALLOC_REPORT_LIMITS_DRAFT_H
#define XALLOC_REPORT_LIMITS_DRAFT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/strlist.h"
#include "analyzer/report/check.h"
#include "analyzer/report/rss_file.h"

/* Native runs: peaks of resident memory. */
struct limits_draft_rss {
	uint64_t least_bytes, most_bytes, error_bytes;
	size_t runs; /* 0: none */
};

struct limits_draft {
	struct limits limits; /* what is to be limited; without bounds */
	double *value;        /* [limit * room + run]; NAN: the run has no such figure */
	size_t runs, room;
	struct limits_draft_rss rss;
	struct strlist left_out; /* what gets no limit, and why */
};

/* For so many runs. */
void limits_draft_init(struct limits_draft *draft, size_t runs);
void limits_draft_release(struct limits_draft *draft);

/*
 * What there is to limit in the first run: the figures of the whole; of each group of its rules the
 * calls and the part of the peak; where the program told of phases, those of each; where it marked
 * iterations, what one costs. After that, and before limits_draft_add, the run needs what
 * draft->limits.part asks for.
 */
void limits_draft_plan(struct limits_draft *draft, const struct measured *first);
/* The figures of one more run, the first one too; all with the same rules. */
void limits_draft_add(struct limits_draft *draft, const struct measured *run);
void limits_draft_add_rss(struct limits_draft *draft, const struct rss_file *file);

/*
 * The budget as JSON: "equal" for what is the same in all runs, else a "max" of the greatest and
 * the spread on top; its "comment" says which. What is not in all runs is left out. rules: what to
 * put there, NULL: no rules. Owned by the caller.
 */
char *limits_draft_text(struct limits_draft *draft, const char *rules);

struct limits_ratchet {
	size_t lowered, kept; /* limits that could be, and those that are as low as they can be */
	size_t varying;       /* equal ones of which the runs differ: they stay */
	char *text;           /* the new budget; owned by the caller */
};

/* Each "max" and "equal" of the budget lowered to the greatest figure of the checks, none raised.
 * The checks are of this budget, and can all be judged. -1: the file is not as it was. */
int limits_ratchet(struct limits_ratchet *ratchet, const struct limits *limits,
		   const struct check *check, size_t checks, struct err *err);

#endif
