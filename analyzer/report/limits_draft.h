/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Budgets that are written for people: a new one from runs, and one lowered to what was reached. */
#ifndef XALLOC_REPORT_LIMITS_DRAFT_H
#define XALLOC_REPORT_LIMITS_DRAFT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/model/result.h"
#include "analyzer/report/check.h"

/* Values of one figure, of a group or, where that is NULL, of the whole trace. */
struct limits_draft_row {
	const char *metric; /* constant */
	char *group;
	uint64_t *value; /* of each run */
};

struct limits_draft {
	size_t runs, room;
	struct limits_draft_row *row;
	size_t rows;
	char *allocator; /* of the first run, "glibc"; NULL: not known */
};

void limits_draft_init(struct limits_draft *draft, size_t runs);
void limits_draft_release(struct limits_draft *draft);
/* The figures of one more run; rules of the same file for all, NULL: none. */
void limits_draft_add(struct limits_draft *draft, const struct measured *run);
/*
 * The budget as JSON: "equal" for what is the same in all runs, else a "max" of the greatest and
 * the spread on top. rules: what to put there, NULL: no rules. Owned by the caller.
 */
char *limits_draft_text(const struct limits_draft *draft, const char *rules);

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
