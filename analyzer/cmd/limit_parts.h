/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a budget has limits on and a replay does not tell by stacks: threads, a phase's own peak,
 * iterations. The trace is read once more for all of it. */
#ifndef XALLOC_CMD_LIMIT_PARTS_H
#define XALLOC_CMD_LIMIT_PARTS_H

#include "analyzer/cmd/analysis.h"
#include "analyzer/model/phase_parts.h"
#include "analyzer/report/measured.h"

struct limit_parts {
	struct analysis analysis;
	struct phase_part_rule *rule; /* one for each of limits.part */
	struct phase_parts parts;
	struct measured_parts measured;
};

/* Of the trace at path, which `whole` is of; that gets them when there are any. -1: it cannot be
 * read any more. Release either way. */
int limit_parts_read(struct limit_parts *parts, const struct limits *limits, const char *path,
		     struct measured *whole, const struct options *options, struct err *err);
void limit_parts_release(struct limit_parts *parts);

#endif
