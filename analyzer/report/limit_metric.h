/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures that a budget may limit: those of `totals` of `summary --json`, and some of their
 * own. One row says where each is found. */
#ifndef XALLOC_REPORT_LIMIT_METRIC_H
#define XALLOC_REPORT_LIMIT_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"

enum limit_source {
	LIMIT_OF_TRACE,    /* counts and sizes */
	LIMIT_OF_CLOCK,    /* times */
	LIMIT_RATIO,       /* temporary_ratio: temporary_calls / allocation_calls */
	LIMIT_RSS,         /* rss_peak_bytes */
	LIMIT_UNEXPLAINED, /* unexplained_percent */
};

#define LIMIT_NOWHERE SIZE_MAX

struct limit_metric {
	const char *name;
	enum limit_source source;
	bool is_bytes;
	/* Offsets of uint64_t, LIMIT_NOWHERE: it has no such figure. */
	size_t total; /* in struct totals */
	size_t stack; /* in struct stack_totals: of groups, functions and threads */
	size_t phase; /* in struct phase */
	size_t turn;  /* in struct phase, over all of its turns; as int64_t it may be below 0 */
	/* Why it has none, where it has none. */
	const char *no_stack, *no_phase, *no_turn;
	enum metric table; /* what its stacks are weighed by; METRIC_COUNT: it has none */
	bool is_signed;    /* it may be below 0 */
};

/* NULL: there is no such metric. */
const struct limit_metric *limit_metric_find(const char *name);
/* The metric of that number from 0, NULL behind the last. */
const struct limit_metric *limit_metric_at(size_t number);

/* The figure at an offset of the struct at base. */
uint64_t limit_metric_get(const void *base, size_t offset);

#endif
