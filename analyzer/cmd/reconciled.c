/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/reconciled.h"

int reconciled_open(struct reconciled *traced, const char *path, const struct options *options,
		    struct err *err)
{
	struct trace *trace;

	if (trace_open(&trace, path, err))
		return -1;
	traced->a = (struct analysis){ .trace = trace };
	traced_heap_read(&traced->heap, trace, &traced->a.result, options);
	analysis_find_end(&traced->a, &traced->end);
	return 0;
}

void reconciled_close(struct reconciled *traced)
{
	process_end_release(&traced->end);
	traced_heap_release(&traced->heap);
	result_release(&traced->a.result);
	trace_close(traced->a.trace);
}

int reconciled_read_rss(struct rss_file *rss, const char *path, struct err *err)
{
	if (rss_file_read(rss, path, err))
		return -1;
	if (rss->no_breakdown)
		return err_set(err, "%s: there is nothing to explain: %s", path, rss->no_breakdown);
	return 0;
}

void reconciled_pair(const struct reconciled *traced, struct reconcile_pair *pair, uint64_t top)
{
	pair->untracked_calls = traced->a.result.totals.untracked_calls;
	comparable_build_rss(&pair->comparable, &pair->rss, traced->a.trace, traced->end.text);
	if (pair->comparable.is_comparable)
		reconcile_build(&pair->reconcile, &pair->rss, &traced->heap.heap, top);
}

int reconciled_read_pair(struct reconcile_pair *pair, bool *is_complete,
			 const struct options *options, struct err *err)
{
	struct reconciled traced;

	if (reconciled_read_rss(&pair->rss, pair->rss_path, err) ||
	    reconciled_open(&traced, pair->trace_path, options, err))
		return -1;
	reconciled_pair(&traced, pair, options->top);
	if (is_complete)
		*is_complete = trace_is_complete(traced.a.trace);
	reconciled_close(&traced);
	return 0;
}
