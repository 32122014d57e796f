/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the checks of a report are filled in. */
#ifndef XALLOC_VERIFY_CHECK_LIST_H
#define XALLOC_VERIFY_CHECK_LIST_H

#include <stdint.h>

#include "analyzer/verify/verify.h"

enum check_id {
	CHECK_FRAMES,
	CHECK_CHECKSUMS,
	CHECK_SEQUENCE,
	CHECK_COUNTS,
	CHECK_STAMPS,
	CHECK_EVENTS,
	CHECK_RECORDER_TOTALS,
	CHECK_COMPLETE,
	CHECK_THREADS,
	CHECK_OVERLAP,
	CHECK_USABLE_OVERLAP,
	CHECK_USABLE_SIZES,
	CHECK_REALLOCS,
	CHECK_SUMS,
	CHECK_TOTALS,
	CHECK_STACKS,
	CHECK_HEAP_IN_USE,
	CHECK_HEAP_MAPPED,
	CHECK_COUNT
};

void check_list_init(struct verify_report *report);

/* At the end: the text of a check that failed is what is wrong first. */
void check_list_close(struct verify_report *report);

/* What was looked at; the check stays as it is. */
void check_say(struct verify_report *report, enum check_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* It failed, and why. report may be NULL: then nothing happens. */
void check_fail(struct verify_report *report, enum check_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* It cannot be made, and why. One that has failed stays failed. */
void check_skip(struct verify_report *report, enum check_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* It should not have been made, and why: whatever came of it is forgotten. */
void check_void(struct verify_report *report, enum check_id id, const char *why);
/* What came of it has an explanation: it holds, and this is what was looked at. */
void check_excuse(struct verify_report *report, enum check_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The two ways differ; takes stack. Nothing when the numbers are equal. */
void check_equal(struct verify_report *report, enum check_id id, const char *figure, char *stack,
		 uint64_t said, uint64_t second);

#endif
