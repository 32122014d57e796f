/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What single threads did of a trace, as a budget has limits on it: each is a replay of its own. */
#ifndef XALLOC_CMD_THREAD_PARTS_H
#define XALLOC_CMD_THREAD_PARTS_H

#include <stddef.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/report/measured.h"

struct thread_parts {
	struct analysis *analysis;
	struct measured *measured; /* one for each of limits.thread */
	size_t count;
};

/* Of the trace at path; all else of what is measured is as in `whole`. -1: it cannot be read any
 * more. Release either way. */
int thread_parts_read(struct thread_parts *parts, const struct limits *limits, const char *path,
		      const struct measured *whole, const struct options *options, struct err *err);
void thread_parts_release(struct thread_parts *parts);

#endif
