/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether two traces may be compared, and what differs around them. A difference that changes what
 * is counted (another program, another allocator, a trace with losses) makes them not comparable;
 * others are said, with what they can affect:
 *
 *   arguments                                     all figures: it is other work
 *   libc, modules (build IDs)                     calls, bytes and peak: other code
 *   allocator's version, MALLOC_* and such, thp   resident memory; no count of requests
 *   cpu, kernel                                   times only
 *   depth                                         what stacks are called
 */
#ifndef XALLOC_REPORT_COMPARABLE_H
#define XALLOC_REPORT_COMPARABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/strlist.h"
#include "analyzer/report/rss_file.h"
#include "analyzer/trace/trace.h"

enum comparable_state {
	COMPARABLE_EQUAL,
	COMPARABLE_DIFFERENT,
	COMPARABLE_NOT_LOADED,  /* a module that only the other one has */
	COMPARABLE_NO_BUILD_ID, /* a module of both, of which one or both have none */
	COMPARABLE_NOT_OBSERVED /* one of them does not say */
};

/* What it can affect, as bits. */
#define AFFECTS_COUNTS 1u   /* calls, bytes requested, temporary, leaked, peak */
#define AFFECTS_RESIDENT 2u /* resident memory */
#define AFFECTS_TIMES 4u
#define AFFECTS_STACKS 8u /* how stacks are cut and named */

struct comparable_fact {
	char *name; /* "program", "arguments", "libc", ..., "module libfoo.so" */
	enum comparable_state state;
	char *before, *after; /* never NULL; "" where it does not say */
	unsigned affects;     /* if it is not equal */
	bool is_reason;       /* for them not to be comparable */
};

struct comparable {
	struct comparable_fact *fact; /* all that was looked at, equal ones too */
	size_t facts;
	bool is_comparable;
};

/* Both replayed already, so that their losses are known. Nothing of the traces is kept. */
void comparable_build(struct comparable *comparable, const struct trace *before,
		      const struct trace *after);
/*
 * Whether what `xalloc rss` saw (before) is the trace's program at the same work (after). Here a
 * difference in what changes resident memory is a reason, too: arguments, the end, a module's
 * build, libc, the allocator's version and variables, huge pages. That only the trace has
 * libxalloc.so is as it should be, and looked over.
 */
void comparable_build_rss(struct comparable *comparable, const struct rss_file *rss,
			  const struct trace *trace, const char *end);
void comparable_release(struct comparable *comparable);

const char *comparable_state_text(enum comparable_state state);
/* "counts, times": owned by the caller. */
char *comparable_affects_text(unsigned affects);

/* The file name of a module or program without its directories; part of path. */
const char *comparable_base_name(const char *path);

#endif
