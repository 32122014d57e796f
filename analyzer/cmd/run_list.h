/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several traces as runs of one program, read one after the other, each compared with the first. */
#ifndef XALLOC_CMD_RUN_LIST_H
#define XALLOC_CMD_RUN_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/cmd/options.h"
#include "analyzer/report/comparable.h"
#include "analyzer/report/rules.h"
#include "analyzer/report/runs.h"

struct run_list {
	struct runs runs;
	struct comparable *comparable; /* of each but the first */
	size_t comparables;
	bool *is_complete; /* of each */
};

/* rules: of groups, NULL: none. -1: one cannot be read, which was said. Release either way. */
int run_list_read(struct run_list *list, const char *const *path, size_t paths,
		  const struct options *options, const struct rules *rules);
void run_list_release(struct run_list *list);

/* STATUS_NOT_COMPLETE with --strict, STATUS_NOT_COMPARABLE: one is not complete, or is of another
 * program than the first. */
enum status run_list_status(const struct run_list *list, const struct options *options);

#endif
