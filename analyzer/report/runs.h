/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several runs of a program, stack by stack. A stack is the same in two runs when its functions
 * are: lines, addresses, whether a call was inlined, and what compilers put to a name (.isra.0,
 * .cold, [abi:cxx11], a hash) do not matter. A frame without a function is module+0xOFFSET as long
 * as all runs have the same build of the module, else the module alone, and such frames in a row
 * are one.
 */
#ifndef XALLOC_REPORT_RUNS_H
#define XALLOC_REPORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/name_pool.h"
#include "analyzer/model/replay.h"
#include "analyzer/report/filtered.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/shown_stacks.h"
#include "analyzer/report/suppressed.h"
#include "analyzer/trace/stack_tree.h"
#include "analyzer/trace/trace.h"

struct run {
	char *path;
	struct totals totals;
	bool is_filtered; /* the run is the part of its trace that `filtered` says */
	struct filtered filtered;
	struct suppressed_leaks suppressed; /* given after it was added, and then its own */
};

struct runs_row {
	uint32_t node;   /* for runs_frame and runs_parent */
	uint64_t *value; /* [run * METRIC_COUNT + metric]; 0 where the run has no such stack */
};

struct runs_group {
	char *name;
	uint64_t *value; /* as of a row */
};

struct runs {
	struct run *run;
	size_t count, room;
	struct name_pool *names;
	struct stack_tree *tree; /* its frames are numbers of names, from 1 */
	struct runs_row *row;
	size_t rows, row_room;
	struct runs_group *group; /* NULL: no rules were given */
	size_t groups;
	struct runs_module *module; /* runs.c's own */
	size_t modules;
};

/* For so many runs, to be added one by one. */
void runs_init(struct runs *runs, size_t count);
void runs_release(struct runs *runs);

/* Nothing of the trace or of the stacks is kept. filtered: what of the trace it is, NULL: all. */
void runs_add(struct runs *runs, const struct trace *trace, const struct result *result,
	      const struct shown_stacks *stacks, const struct filtered *filtered);
/* The groups of the run that was added last; the same rules for all. */
void runs_add_groups(struct runs *runs, const struct groups *groups);
/* After the last one, and before rows are looked at. */
void runs_settle(struct runs *runs);
/* Of a run that was added, once the runs are settled: the position of the row of each of its
 * stacks, by their numbers. Owned by the caller. */
size_t *runs_rows_of(struct runs *runs, const struct shown_stacks *stacks);

static inline uint64_t runs_group_value(const struct runs_group *group, size_t run,
					enum metric metric)
{
	return group->value[run * METRIC_COUNT + metric];
}

static inline uint64_t runs_value(const struct runs_row *row, size_t run, enum metric metric)
{
	return row->value[run * METRIC_COUNT + metric];
}

/* The name of a node that is not 0, and the node of its caller: 0 behind the outermost frame. */
const char *runs_frame(const struct runs *runs, uint32_t node);
uint32_t runs_parent(const struct runs *runs, uint32_t node);

#endif
