/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the live blocks was in memory at a snapshot, by shown stack. A pure result. */
#ifndef XALLOC_REPORT_RESIDENT_H
#define XALLOC_REPORT_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/residency.h"
#include "analyzer/report/shown_stacks.h"

struct resident_row {
	const struct shown_stack *stack;
	struct residency_sum sum;
};

struct resident {
	const struct residency *residency;
	bool is_by_held;          /* rows by what they keep, else by what is resident */
	struct resident_row *row; /* those with any; together they are residency->all */
	size_t rows;
};

/* Both of one replay, which must outlive the report. */
void resident_build(struct resident *report, const struct residency *residency,
		    const struct shown_stacks *stacks, bool is_by_held);
void resident_release(struct resident *report);

/* "grown", "interval", "end"; "scan", "pagemap", "none", "costly" */
const char *resident_why_text(const struct snapshot *snapshot);
const char *resident_how_text(const struct snapshot *snapshot);

#endif
