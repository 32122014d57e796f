/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several traces as the tree of the processes that they are of: whose child each was, the programs
 * of one process in the order of its execs, what each of them allocated, and which of them holds
 * the figures. A pure result; render_processes.h writes it.
 *
 * Whose child: the trace's header has the process's number, start time and session, its parent's
 * number, and for a child of the session's first process which of that one's programs it came from.
 * A parent without a trace (a fork child that only waits has none) is said, and the child stands
 * below the session's first process.
 */
#ifndef XALLOC_REPORT_PROCESS_TREE_H
#define XALLOC_REPORT_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/strlist.h"
#include "analyzer/base/warnings.h"
#include "analyzer/model/replay.h"
#include "analyzer/model/result.h"
#include "analyzer/report/process_end.h"
#include "analyzer/trace/trace.h"
#include "preload/trace/format.h"

#define PROCESS_NONE SIZE_MAX

/* One trace: one program that a process ran. Rows are named by their place in process_tree.row. */
struct process_row {
	char *path, *exe;
	struct strlist argv;
	struct xt_header header;
	struct totals totals;
	uint64_t lost_events;
	char end[sizeof(((struct process_end *)0)->text)];
	bool is_complete, is_damaged, has_times;
	/* By process_tree_build. */
	size_t parent;      /* the program that started the process, PROCESS_NONE: not known */
	size_t before;      /* the program that this process ran before, PROCESS_NONE: none */
	size_t same_as;     /* a copy of that trace, and in no sum; PROCESS_NONE: it is none */
	size_t depth;       /* in the tree, from 0 */
	bool misses_parent; /* the process that started it has no trace here */
	bool misses_next;   /* it went on as a program that has no trace here */
	size_t first_child, next_sibling, after; /* the tree's own */
};

struct process_unreadable {
	char *path, *error;
};

struct process_tree {
	struct process_row *row; /* in the order of process_tree_add */
	size_t count, capacity;
	size_t *order; /* rows as the tree is read: parents first, a process's programs in order */
	struct process_unreadable *unreadable;
	size_t unreadables;
	size_t processes;
	uint64_t allocation_calls, allocated_bytes, lost_events; /* of all */
	size_t most_calls, greatest_peak; /* PROCESS_NONE: there are no calls */
	struct warnings warnings;
};

/* All zeros is an empty tree. What is added is copied. result: of a replay of the trace. */
void process_tree_add(struct process_tree *tree, const struct trace *trace,
		      const struct result *result, const struct process_end *end);
void process_tree_add_unreadable(struct process_tree *tree, const char *path, const char *error);
/* Once, after the last add. */
void process_tree_build(struct process_tree *tree);
void process_tree_release(struct process_tree *tree);

#endif
