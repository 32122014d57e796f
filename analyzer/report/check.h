/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace against a budget: each limit with what was reached, the stacks of those that are
 * exceeded, what else has moved against baselines, and a verdict. It owns all of its texts: traces
 * need not outlive it.
 */
#ifndef XALLOC_REPORT_CHECK_H
#define XALLOC_REPORT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/report/check_stacks.h"
#include "analyzer/report/comparable.h"
#include "analyzer/report/limits.h"
#include "analyzer/report/measured.h"
#include "analyzer/report/suppressed.h"

enum check_verdict { CHECK_PASS, CHECK_FAIL, CHECK_NOT_COMPARABLE };

enum check_state { CHECK_WITHIN, CHECK_EXCEEDED, CHECK_NOT_AVAILABLE };

/* One bound of one limit. */
struct check_row {
	const struct limit *limit;
	size_t position; /* limits[position] of the budget */
	enum limit_bound bound;
	enum check_state state;
	double actual,
		allowed; /* the latter as the bound comes to: of an increase with the baseline */
	double margin;   /* what is left until it is exceeded; below 0: by how much it is */
	bool has_baseline;
	double before;              /* the baseline's figure */
	char *why;                  /* not available: why; else NULL */
	struct check_stacks stacks; /* of an exceeded one */
};

/* A figure of the whole trace that is not what the baseline has. */
struct check_moved {
	const char *name;
	uint64_t before, after;
	bool is_limited; /* some limit of the budget is on it, of the whole trace */
};

struct check_baseline {
	const char *path; /* of the limits */
	struct comparable comparable;
	struct check_moved *moved;
	size_t moves;
};

struct check {
	char *path;
	char *command; /* with its arguments, "": not known */
	enum check_verdict verdict;
	bool is_lossy;                  /* damaged, or events are missing */
	uint64_t began_ns, duration_ns; /* of the process: when, since 1970, and how long it ran */
	struct check_row *row;
	size_t rows;
	size_t exceeded, not_available;
	struct check_baseline *baseline; /* as in the limits */
	size_t baselines;
	struct suppressed_leaks suppressed; /* given by who reads traces, and then its own */
	struct leaks_left left;
	struct warnings reasons;  /* for it not to be comparable */
	struct warnings warnings; /* the trace's, and ours */
};

struct check_options {
	bool allows_signal; /* a process that a signal ended is judged */
	uint64_t top;       /* stacks of each exceeded limit, 0: all */
};

/* baseline: one for each of the limits' baselines. */
void check_build(struct check *check, const struct limits *limits, const struct measured *trace,
		 const struct measured *baseline, const struct check_options *options);
void check_release(struct check *check);

/* "pass", "fail", "not comparable"; "within", "exceeded", "not available". */
const char *check_verdict_text(enum check_verdict verdict);
const char *check_state_text(enum check_state state);

#endif
