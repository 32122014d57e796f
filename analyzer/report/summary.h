/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is to be said of one trace: the figures, how the process ended, whether anything is missing,
 * and the heaviest stacks of each metric. A pure result; render/ writes it.
 */
#ifndef XALLOC_REPORT_SUMMARY_H
#define XALLOC_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/model/mappings.h"
#include "analyzer/model/replay.h"
#include "analyzer/report/filtered.h"
#include "analyzer/report/process_end.h"
#include "analyzer/report/shown_stacks.h"
#include "analyzer/report/suppressed.h"
#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/trace.h"
#include "preload/trace/format.h"

struct summary {
	const struct trace *trace;
	const struct totals *totals;
	const struct told *told;
	const struct filtered *filtered; /* NULL: it is of the whole trace */
	struct process_end end;
	struct frame_names *names;
	struct shown_stacks *stacks; /* NULL: only figures were asked for */
	struct shown_list list[METRIC_COUNT]; /* METRIC_BYTES stays empty: no table of a summary */
	struct mappings mappings;
	struct shown_stacks *mapping_stacks; /* NULL: only figures were asked for */
	struct shown_list mapping_list;      /* by mapped bytes */
	struct suppressed_leaks suppressed; /* not in the totals and stacks */
	struct warnings warnings; /* the trace's and ours; of names, when there are stacks */
	/* Between these times the peak was; 0 and UINT64_MAX when nothing is known of times. */
	uint64_t peak_from_ns, peak_until_ns;
	uint64_t lost_events;
	bool is_damaged;
	/* No event before the end of the process is missing, however it ended. */
	bool is_complete;
};

/* What is shown of the stacks. */
struct summary_view {
	uint64_t top;   /* stacks of each metric, 0 is all */
	bool folds_std; /* as in shown_stacks_new */
	const struct filtered *filtered; /* what the result is of; NULL: the whole trace */
	const struct suppressions *suppressions;
};

/* Trace and result are borrowed and must outlive the summary. next: see process_end_find. What
 * suppressions (NULL: none) take is not leaked any more, in the result, too. */
void summary_build(struct summary *summary, const struct trace *trace, struct result *result,
		   const struct xt_header *next, const struct symbolizer_options *options,
		   const struct summary_view *view);
/* The same without the stacks, which are most of the work: neither stacks nor lists are there, and
 * what frames are called is not asked yet. */
void summary_build_figures(struct summary *summary, const struct trace *trace,
			   struct result *result, const struct xt_header *next,
			   const struct symbolizer_options *options,
			   const struct suppressions *suppressions);
/* What is leaked and not suppressed. */
struct leaks_left summary_left(const struct summary *summary);
void summary_release(struct summary *summary);

#endif
