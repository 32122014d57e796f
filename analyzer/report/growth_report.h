/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which stacks' live bytes grow from iteration to iteration. The samples are cut into four
 * quarters; a stack grows when the mean of each quarter is above that of the one before, and the
 * last step is at least a quarter of the first. What rose first and then not any more has levelled
 * off, as a cache does that is full. The rate is that of the second half.
 */
#ifndef XALLOC_REPORT_GROWTH_REPORT_H
#define XALLOC_REPORT_GROWTH_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/growth.h"
#include "analyzer/report/shown_stacks.h"

enum growth_verdict {
	GROWTH_GROWS,
	GROWTH_LEVELLED_OFF,
	GROWTH_VARIES, /* neither, and not always the same */
	GROWTH_STEADY,
	GROWTH_TOO_FEW, /* fewer than GROWTH_LEAST samples */
	GROWTH_VERDICTS
};
#define GROWTH_LEAST 8u

struct growth_row {
	const struct shown_stack *stack; /* NULL: all of them */
	uint64_t live[GROWTH_SAMPLES];
	enum growth_verdict verdict;
	double rate; /* bytes an iteration, in the second half */
};

struct growth_report {
	const struct growth *growth;
	struct shown_stacks *stacks; /* not its own */
	struct growth_row all;
	struct growth_row
		*row; /* those that grow, by rate; then those that rose and do not any more */
	size_t rows;
	size_t count[GROWTH_VERDICTS]; /* of shown stacks */
};

/* growth and stacks are of one replay, and must outlive the report. */
void growth_report_build(struct growth_report *report, const struct growth *growth,
			 struct shown_stacks *stacks);
void growth_report_release(struct growth_report *report);

/* "grows", "levelled off", ... */
const char *growth_verdict_text(enum growth_verdict verdict);

#endif
