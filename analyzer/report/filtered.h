/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report is of, when it is not of the whole trace: for who prints it. Plain data. */
#ifndef XALLOC_REPORT_FILTERED_H
#define XALLOC_REPORT_FILTERED_H

#include "analyzer/model/result.h"
#include "analyzer/model/selection.h"

struct filtered {
	struct selection_rule rule;
	/* As on the command line; NULL: not given. */
	const char *function, *module, *group, *rules;
	struct totals whole; /* of the trace without the filter */
};

#endif
