/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What reconcile.h wants of a trace: one replay of it, with the blocks at the residency snapshot
 * with the most resident memory; if that is not near the peak of the heap, and another one may be,
 * the trace is read a second time for that one.
 */
#ifndef XALLOC_CMD_TRACED_HEAP_H
#define XALLOC_CMD_TRACED_HEAP_H

#include "analyzer/cmd/options.h"
#include "analyzer/model/replay.h"
#include "analyzer/model/slack.h"
#include "analyzer/report/anonymous_use.h"
#include "analyzer/report/reconcile.h"
#include "analyzer/trace/trace.h"

struct traced_heap {
	struct reconcile_heap heap;
	/* what it points to */
	struct slack slack;
	struct anonymous_use use[RECONCILE_INSTANTS];
};

/* In place of replay_run, once for each trace. traced must stay where it is; release it afterwards.
 */
void traced_heap_read(struct traced_heap *traced, struct trace *trace, struct result *result,
		      const struct options *options);
void traced_heap_release(struct traced_heap *traced);

#endif
