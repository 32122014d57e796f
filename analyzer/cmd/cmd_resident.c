/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands resident and pinners: two views of the same snapshot. */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/model/residency.h"
#include "analyzer/render/render_resident.h"
#include "analyzer/report/resident.h"

/* NULL: there is none that can be used; a line says why. */
static const struct snapshot *pick(const struct trace *trace, const struct options *options)
{
	const struct snapshot_log *log = trace_snapshots(trace);
	const struct snapshot *s = NULL;

	if (trace_has_dropped(trace, TRACE_ADDRESSES) || trace_has_dropped(trace, TRACE_STAMPS)) {
		print_error("%s: addresses or stamps were dropped: which blocks were where at a "
			    "snapshot is not known",
			    trace_path(trace));
		return NULL;
	}
	if (!options->has_snapshot) {
		s = residency_highest(log);
		if (!s && log->count)
			print_error("%s: no snapshot has pages: %s", trace_path(trace),
				    resident_how_text(&log->snapshot[log->count - 1]));
		else if (!s)
			print_error("%s: there are no residency snapshots in it: XALLOC_RESIDENCY",
				    trace_path(trace));
		return s;
	}
	for (size_t i = 0; i < log->count; i++)
		if (log->snapshot[i].head.number == options->snapshot)
			s = &log->snapshot[i];
	if (!s || !s->runs || !s->is_whole) {
		print_error("%s: snapshot %" PRIu64 " %s", trace_path(trace), options->snapshot,
			    !s ? "is not there" : "has no pages, or not all of them");
		return NULL;
	}
	return s;
}

static enum status run(const struct options *options, bool is_by_held)
{
	const struct render_style style = { .has_color = has_color(options),
					    .has_full_names = options->has_full_names };
	struct analysis a = { .trace = NULL };
	const struct snapshot *snapshot;
	struct residency residency;
	struct resident report;
	bool is_complete;
	struct err err;

	if (trace_open(&a.trace, options->path[0], &err)) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	snapshot = pick(a.trace, options);
	if (!snapshot) {
		analysis_close(&a);
		return STATUS_UNUSABLE;
	}
	residency_init(&residency, trace_snapshots(a.trace), snapshot,
		       trace_header(a.trace)->usable_rule == XT_USABLE_GLIBC);
	analysis_replay(&a, &residency.moment);
	analysis_summarise(&a, options);
	resident_build(&report, &residency, a.summary.stacks, is_by_held);
	if (options->is_json)
		render_resident_json(stdout, &a.summary, &report, options->top);
	else
		render_resident_text(stdout, &a.summary, &report, options->top, &style);
	is_complete = a.summary.is_complete;
	resident_release(&report);
	residency_release(&residency);
	analysis_close(&a);
	return options->is_strict && !is_complete ? STATUS_NOT_COMPLETE : STATUS_DONE;
}

enum status cmd_resident(const struct options *options)
{
	return run(options, false);
}

enum status cmd_pinners(const struct options *options)
{
	return run(options, true);
}
