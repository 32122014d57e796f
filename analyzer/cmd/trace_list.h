/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces as they are named on a command line: a folder stands for those in it. */
#ifndef XALLOC_CMD_TRACE_LIST_H
#define XALLOC_CMD_TRACE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/err.h"
#include "analyzer/base/strlist.h"

struct trace_list {
	struct strlist path; /* all zeros: empty */
	bool has_folder; /* some of them are a folder's */
};

/*
 * Adds what name stands for: itself; or, when it is a folder, the files in it that begin as traces
 * do, by name, and none of folders below; and those called *.zst that cannot be read or are empty,
 * which nobody is to take for not there. -1 with a line in err: a folder that cannot be read, or
 * one without traces.
 */
int trace_list_add(struct trace_list *list, const char *name, struct err *err);
void trace_list_release(struct trace_list *list);

#endif
