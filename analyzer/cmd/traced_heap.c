/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/traced_heap.h"

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/model/mapping_ranges.h"
#include "analyzer/model/residency.h"
#include "analyzer/report/frame_names.h"

static void use_snapshot(struct anonymous_use *use, struct slack *slack, struct trace *trace,
			 struct result *result, const struct snapshot *snapshot,
			 const struct options *options)
{
	const struct symbolizer_options symbols = analysis_symbols(options, trace);
	struct frame_names *names = frame_names_new(trace, &symbols);
	struct mapping_ranges ranges = { .count = 0 };
	struct residency residency;

	residency_init(&residency, trace_snapshots(trace), snapshot, slack->is_known);
	replay_to_moment(trace, result, &slack->tap, &residency.moment);
	mapping_ranges_run(&ranges, trace_mappings(trace), snapshot->head.stamp, NULL);
	anonymous_use_build(use, &residency, &ranges);
	anonymous_use_name(use, names, trace_mappings(trace)->tree);
	frame_names_free(names);
	mapping_ranges_release(&ranges);
	residency_release(&residency);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The snapshot nearest to the peak of the heap that has pages; NULL: there is none. */
static const struct snapshot *find_nearest(const struct snapshot_log *log, uint64_t stamp)
{
	const struct snapshot *best = NULL;

	for (size_t i = 0; i < log->count; i++) {
		const struct snapshot *s = &log->snapshot[i];

		if (s->runs && s->is_whole &&
		    (!best || distance(s->head.stamp, stamp) < distance(best->head.stamp, stamp)))
			best = s;
	}
	return best;
}

/* A trace is replayed once: the second time it is another one. A file that is gone by now is no
 * loss but that of some terms. */
static bool use_nearest(struct traced_heap *traced, const char *path, uint32_t number,
			const struct options *options)
{
	struct trace *trace;
	struct result result;
	struct slack slack;
	const struct snapshot *nearest;

	if (trace_open(&trace, path, NULL))
		return false;
	nearest = find_nearest(trace_snapshots(trace), traced->slack.peak_stamp);
	if (!nearest || nearest->head.number == number) {
		trace_close(trace);
		return false;
	}
	slack_init(&slack, trace);
	use_snapshot(&traced->use[RECONCILE_PEAK_HEAP], &slack, trace, &result, nearest, options);
	slack_release(&slack);
	result_release(&result);
	trace_close(trace);
	return true;
}

static void use_snapshots(struct traced_heap *traced, struct trace *trace, struct result *result,
			  const struct snapshot *snapshot, const struct options *options)
{
	const struct anonymous_use *highest = &traced->use[RECONCILE_PEAK_RSS];
	struct reconcile_heap *heap = &traced->heap;

	use_snapshot(&traced->use[RECONCILE_PEAK_RSS], &traced->slack, trace, result, snapshot,
		     options);
	heap->use[RECONCILE_PEAK_RSS] = highest;
	heap->use[RECONCILE_PEAK_HEAP] = highest;
	if (!anonymous_use_is_near(highest, traced->slack.peak.requested_bytes) &&
	    use_nearest(traced, trace_path(trace), snapshot->head.number, options))
		heap->use[RECONCILE_PEAK_HEAP] = &traced->use[RECONCILE_PEAK_HEAP];
}

void traced_heap_read(struct traced_heap *traced, struct trace *trace, struct result *result,
		      const struct options *options)
{
	/* without addresses no block lies anywhere */
	const struct snapshot *snapshot = trace_has_dropped(trace, TRACE_ADDRESSES)
						  ? NULL
						  : residency_highest(trace_snapshots(trace));

	*traced = (struct traced_heap){ .heap = { .slack = &traced->slack,
						  .said = trace_heap(trace),
						  .other = trace_allocator(trace) } };
	slack_init(&traced->slack, trace);
	if (snapshot)
		use_snapshots(traced, trace, result, snapshot, options);
	else
		replay_with_progress(trace, result, &traced->slack.tap);
	if (traced->slack.peak.requested_bytes != result->totals.peak_bytes ||
	    traced->slack.end.requested_bytes != result->totals.leaked_bytes)
		BUG("live bytes of the slack are not the replay's");
}

void traced_heap_release(struct traced_heap *traced)
{
	slack_release(&traced->slack);
	for (int i = 0; i < RECONCILE_INSTANTS; i++)
		anonymous_use_release(&traced->use[i]);
}
