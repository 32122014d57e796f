/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a budget has limits on and a replay does not tell by stacks: threads, a phase's own peak,
 * iterations. */
#ifndef XALLOC_CMD_LIMIT_PARTS_H
#define XALLOC_CMD_LIMIT_PARTS_H

#include "analyzer/cmd/analysis.h"
#include "analyzer/model/phase_parts.h"
#include "analyzer/report/measured.h"

struct limit_parts {
	struct analysis analysis;     /* of limit_parts_read; else without a trace */
	struct phase_part_rule *rule; /* one for each of limits.part */
	struct phase_parts parts;
	struct measured_parts measured;
};

/* Replays the trace of `a`, which is open, and fills in its result, and the parts with it. Without
 * parts it is any replay. -1: it cannot be read. */
int limit_parts_replay(struct limit_parts *parts, const struct limits *limits, struct analysis *a,
		       struct err *err);
/* When `a` has its figures, for `whole`, which is of it; whole gets the parts if there are any. */
void limit_parts_measure(struct limit_parts *parts, const struct analysis *a,
			 struct measured *whole);
/* For a trace that was replayed already: both, with a replay more if there are parts. */
int limit_parts_read(struct limit_parts *parts, const struct limits *limits, const char *path,
		     struct measured *whole, const struct options *options, struct err *err);
/* In each case, once any of these was called. */
void limit_parts_release(struct limit_parts *parts);

#endif
