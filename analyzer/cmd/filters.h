/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that select a part of a trace, and a replay that sees only that part. */
#ifndef XALLOC_CMD_FILTERS_H
#define XALLOC_CMD_FILTERS_H

#include <stdbool.h>

#include "analyzer/base/err.h"
#include "analyzer/cmd/options.h"
#include "analyzer/model/replay.h"
#include "analyzer/model/selection.h"
#include "analyzer/report/filtered.h"
#include "analyzer/trace/trace.h"

/* Their names, for the `takes` of a command. */
#define FILTER_OPTIONS "thread from to at size function module group rules"

bool filters_are_given(const struct options *options);
/* What is wrong with them together; -1 and a line. */
int filters_check(const struct options *options, struct err *err);

/*
 * Replays a trace as far as the options select it, for the view, which may be NULL: fills in result
 * and filtered. where as in selection_finish. -1: the trace has no times, or rules are wrong.
 */
int filters_replay(struct trace *trace, const struct options *options,
		   const struct selection_view *view, struct result *result,
		   struct filtered *filtered, uint32_t **where, struct err *err);

#endif
