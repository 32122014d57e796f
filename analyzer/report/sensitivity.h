/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a budget notices extra work: two runs of a program, of which the second did a known
 * multiple of the work of the first. A budget is fit when the first run keeps it, every upper limit
 * on a figure that grows with the work is exceeded by the second, and there is one at least.
 */
#ifndef XALLOC_REPORT_SENSITIVITY_H
#define XALLOC_REPORT_SENSITIVITY_H

#include <stddef.h>

#include "analyzer/report/check.h"

enum sensitivity_state {
	SENSITIVITY_NOTICES,
	SENSITIVITY_BLIND,         /* the figure grows, and the limit allows it */
	SENSITIVITY_DOES_NOT_GROW, /* more work is no more of it */
	SENSITIVITY_NO_UPPER,      /* a lower limit is not about more work */
	SENSITIVITY_BROKEN,        /* the first run exceeds it */
	SENSITIVITY_NOT_AVAILABLE,
	SENSITIVITY_STATES
};

struct sensitivity_row {
	const struct check_row *base, *more;
	enum sensitivity_state state;
	double ratio; /* more / base; 0: base is 0 */
	double fixed; /* of the base, what does not depend on the work, if the rest does by factor
		       */
};

struct sensitivity {
	struct sensitivity_row *row;
	size_t rows;
	size_t count[SENSITIVITY_STATES];
	double factor;
	enum check_verdict verdict;
};

/* Checks by one budget, which must outlive it. factor: above 1. */
void sensitivity_build(struct sensitivity *sensitivity, const struct check *base,
		       const struct check *more, double factor);
void sensitivity_release(struct sensitivity *sensitivity);

const char *sensitivity_state_text(enum sensitivity_state state);

#endif
