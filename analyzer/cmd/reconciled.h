/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace that is set against results of xalloc rss: it is read once, however many they are. */
#ifndef XALLOC_CMD_RECONCILED_H
#define XALLOC_CMD_RECONCILED_H

#include "analyzer/base/err.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/options.h"
#include "analyzer/cmd/traced_heap.h"
#include "analyzer/render/render_reconcile.h"
#include "analyzer/report/process_end.h"

struct reconciled {
	struct analysis a; /* without a summary */
	struct traced_heap heap;
	struct process_end end;
};

/* -1: the trace cannot be read. Else it must stay where it is until it is closed. */
int reconciled_open(struct reconciled *traced, const char *path, const struct options *options,
		    struct err *err);
void reconciled_close(struct reconciled *traced);

/* What `xalloc rss` has written, with a breakdown: without one there is nothing to explain. -1 with
 * a line in err. Release either way: rss_file_release. */
int reconciled_read_rss(struct rss_file *rss, const char *path, struct err *err);

/* Reads what pair->rss_path and pair->trace_path name, and sets them against each other. -1: one of
 * them cannot be read. is_complete: whether the trace is; it may be NULL. */
int reconciled_read_pair(struct reconcile_pair *pair, bool *is_complete,
			 const struct options *options, struct err *err);

/* Whether pair->rss is of the same program at the same work, and if so the sum. Nothing of the
 * trace is kept; top: reconcile_build. */
void reconciled_pair(const struct reconciled *traced, struct reconcile_pair *pair, uint64_t top);

#endif
