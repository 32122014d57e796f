/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A budget file, "schema": "xalloc-budget/1": limits on figures, of a whole trace or of a part of
 * it. docs/budgets.md is the users' manual.
 */
#ifndef XALLOC_REPORT_LIMITS_H
#define XALLOC_REPORT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/amount.h"
#include "analyzer/base/strlist.h"
#include "analyzer/report/limit_metric.h"
#include "analyzer/report/rules.h"

#define LIMITS_SCHEMA "xalloc-budget/1"

/* The last two are of what the baseline has. */
enum limit_bound {
	LIMIT_EQUAL,
	LIMIT_MAX,
	LIMIT_MIN,
	LIMIT_MAX_INCREASE,
	LIMIT_MAX_DECREASE,
	LIMIT_BOUNDS
};

#define LIMITS_NO_BASELINE SIZE_MAX
#define LIMITS_NO_PART SIZE_MAX

struct limit_thread {
	uint32_t number; /* 0: main */
	char *name;      /* NULL: the one of that number; else all that are called so */
};

/* What some limits are of and the result of a replay does not have by stacks: model/phase_parts.h
 * has. Texts are of a limit. */
struct limit_part {
	const char *phase; /* NULL: all */
	bool has_thread, is_per_iteration;
	struct limit_thread thread;
};

/* One entry of "limits"; what it does not narrow down is NULL. */
struct limit {
	const struct limit_metric *metric;
	char *group, *function, *phase;
	bool has_thread, is_per_iteration;
	struct limit_thread thread;
	size_t part;            /* of limits.part, or LIMITS_NO_PART: it needs none */
	bool has[LIMIT_BOUNDS]; /* at least one */
	struct amount bound[LIMIT_BOUNDS];
	size_t baseline;    /* of limits.baseline, or LIMITS_NO_BASELINE: the default one */
	struct rules rules; /* the group of `function` alone; only when that is there */
};

struct limits {
	char *path;       /* as it was named */
	char *rules_path; /* to be opened; NULL: none */
	char *allocator;  /* of the runs it was made from, "glibc"; NULL: it does not say */
	struct limit *limit;
	size_t count;
	struct limit_part *part; /* that some limit is of, each once */
	size_t parts;
	struct strlist baseline; /* paths to be opened, each once */
	size_t default_baseline; /* of the file, or LIMITS_NO_BASELINE */
	bool has_groups;         /* some limit has one */
	bool has_resident;       /* some limit is on resident memory */
	bool has_unexplained;    /* some limit is on what of it is not explained */
};

/*
 * Reads a budget; paths in it are from the directory that it is in. What is wrong is said with the
 * file and the position in it: line and column where it is no JSON, else the place in the object
 * ("limits[2].max"). Release either way.
 */
int limits_read(struct limits *limits, const char *path, struct err *err);
void limits_release(struct limits *limits);

/* What a limit is of; borrowed from it. */
struct limit_part limit_part_of(const struct limit *limit);
bool limit_part_is_same(const struct limit_part *a, const struct limit_part *b);

/* Of what a limit is, when it is of a thread: "thread 1", "threads \"worker\"". Owned by the
 * caller. */
char *limit_thread_text(const struct limit_thread *thread);

/* For who makes a budget: one limit more, without bounds, of limits that are all zeros or have
 * others. The texts are copied. */
void limits_add(struct limits *limits, const char *metric, const char *group, const char *phase,
		bool is_per_iteration);

/* The number of a baseline, added when it is new. */
size_t limits_add_baseline(struct limits *limits, const char *path);

/* Whether a budget can name something so: it is UTF-8, as all JSON, and not empty. */
bool limits_can_name(const char *name);
/* "max", "max_increase": as in the file. */
const char *limit_bound_name(enum limit_bound bound);
/* "peak_bytes of group \"paths\" in phase \"send\" per iteration"; owned by the caller. */
char *limit_text(const struct limit *limit);

#endif
