/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/gate.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/session_traces.h"
#include "analyzer/cmd/traced_heap.h"
#include "analyzer/report/reconcile.h"

static int read_rules(struct gate *gate, struct err *err)
{
	const struct limits *limits = &gate->limits;

	if (!limits->rules_path) {
		rules_init(&gate->rules);
		return 0;
	}
	if (rules_read(&gate->rules, limits->rules_path, err))
		return -1;
	for (size_t i = 0; i < limits->count; i++)
		if (limits->limit[i].group &&
		    !rules_has_group(&gate->rules, limits->limit[i].group))
			return err_set(err, "%s: limits[%zu].group: there is no group \"%s\" in %s",
				       limits->path, i, limits->limit[i].group, limits->rules_path);
	return 0;
}

/* Traces, and at most one result of xalloc rss. */
static int sort_paths(struct gate *gate, const struct options *options, struct err *err)
{
	const char *rss = options->rss.count ? options->rss.path[0] : NULL;

	for (size_t i = 0; i < options->paths; i++) {
		const char *path = options->path[i];

		if (!rss_file_may_be(path)) {
			if (trace_list_add(&gate->traces, path, err))
				return -1;
			continue;
		}
		if (rss)
			return err_set(err, "%s: there is a result of xalloc rss already, %s", path,
				       rss);
		rss = path;
	}
	if (!gate->traces.path.count)
		return err_set(err, "no trace is given (--help shows how)");
	if (options->rss.count > 1)
		return err_set(err, "--rss: there is one already, %s", rss);
	gate->has_rss = rss != NULL;
	return rss ? rss_file_read(&gate->rss, rss, err) : 0;
}

static struct measured measured_of(const struct gate *gate, const struct analysis *a)
{
	return (struct measured){ .result = &a->result,
				  .summary = &a->summary,
				  .rules = gate->limits.has_groups ? &gate->rules : NULL };
}

static int open_baselines(struct gate *gate, const struct options *options, struct err *err)
{
	struct limits *limits = &gate->limits;

	if (options->baseline)
		limits->default_baseline = limits_add_baseline(limits, options->baseline);
	gate->baseline = xcalloc(limits->baseline.count + 1, sizeof(*gate->baseline));
	gate->baseline_measured =
		xcalloc(limits->baseline.count + 1, sizeof(*gate->baseline_measured));
	gate->baseline_parts = xcalloc(limits->baseline.count + 1, sizeof(*gate->baseline_parts));
	for (size_t i = 0; i < limits->baseline.count; i++) {
		struct analysis *a = &gate->baseline[i];

		if (trace_open(&a->trace, limits->baseline.text[i], err))
			return -1;
		gate->baselines++;
		if (limit_parts_replay(&gate->baseline_parts[i], limits, a, err))
			return -1;
		analysis_summarise_figures(a, options);
		gate->is_lossy |= !a->summary.is_complete;
		gate->baseline_measured[i] = measured_of(gate, a);
		limit_parts_measure(&gate->baseline_parts[i], a, &gate->baseline_measured[i]);
	}
	return 0;
}

/* What of the peak of RSS no term explains, in percent: at the instant of that peak if the trace
 * knows it, else at the heap's. */
static double find_unexplained(const struct rss_file *rss, const struct traced_heap *heap)
{
	struct reconcile reconcile;
	double unexplained = 0;

	reconcile_build(&reconcile, rss, &heap->heap, 0);
	if (reconcile.has_instant[RECONCILE_PEAK_RSS])
		unexplained = (double)reconcile.unexplained[RECONCILE_PEAK_RSS];
	else
		unexplained = (double)reconcile.unexplained[RECONCILE_PEAK_HEAP];
	if (unexplained < 0)
		unexplained = -unexplained;
	if (reconcile.peak_bytes)
		unexplained = unexplained * 100 / (double)reconcile.peak_bytes;
	reconcile_release(&reconcile);
	return unexplained;
}

/* The trace's result, with what it takes to explain its resident memory. */
static int read_explained(struct gate *gate, struct analysis *a, struct limit_parts *parts,
			  struct measured *measured, double *unexplained,
			  const struct options *options, struct err *err)
{
	struct traced_heap heap;

	traced_heap_read(&heap, a->trace, &a->result, options);
	analysis_summarise_figures(a, options);
	*measured = measured_of(gate, a);
	*unexplained = find_unexplained(&gate->rss, &heap);
	measured->unexplained = unexplained;
	traced_heap_release(&heap);
	return limit_parts_read(parts, &gate->limits, trace_path(a->trace), measured, options, err);
}

static int read_plain(struct gate *gate, struct analysis *a, struct limit_parts *parts,
		      struct measured *measured, const struct options *options, struct err *err)
{
	if (limit_parts_replay(parts, &gate->limits, a, err))
		return -1;
	analysis_summarise_figures(a, options);
	*measured = measured_of(gate, a);
	limit_parts_measure(parts, a, measured);
	return 0;
}

static void check_trace(struct gate *gate, const char *path, const struct options *options)
{
	const struct check_options how = { options->allows_signal, options->top };
	const bool explains =
		gate->limits.has_unexplained && gate->has_rss && !gate->rss.no_breakdown;
	struct check *check = &gate->check[gate->checks];
	struct analysis a = { .trace = NULL };
	struct measured measured;
	struct limit_parts parts;
	double unexplained;
	struct err err;
	int ret;

	if (trace_open(&a.trace, path, &err)) {
		print_error("%s", err.text); /* it names the file */
		gate->has_unreadable = true;
		return;
	}
	ret = explains ? read_explained(gate, &a, &parts, &measured, &unexplained, options, &err)
		       : read_plain(gate, &a, &parts, &measured, options, &err);
	if (ret) {
		print_error("%s", err.text);
		gate->has_unreadable = true;
	} else {
		measured.rss = gate->has_rss ? &gate->rss : NULL;
		check_build(check, &gate->limits, &measured, gate->baseline_measured, &how);
		session_traces_warn(&check->warnings, &a.summary, &gate->traces.path);
		check->left = summary_left(&a.summary);
		check->suppressed = a.summary.suppressed;
		a.summary.suppressed = (struct suppressed_leaks){ .suppressions = NULL };
		gate->is_lossy |= check->is_lossy;
		gate->checks++;
	}
	limit_parts_release(&parts);
	analysis_close(&a);
}

int gate_run(struct gate *gate, const struct options *options)
{
	struct err err;

	*gate = (struct gate){ .checks = 0 };
	if (limits_read(&gate->limits, options->budget, &err) || read_rules(gate, &err) ||
	    sort_paths(gate, options, &err) || open_baselines(gate, options, &err)) {
		print_error("%s", err.text);
		return -1;
	}
	gate->check = xcalloc(gate->traces.path.count, sizeof(*gate->check));
	for (size_t i = 0; i < gate->traces.path.count; i++)
		check_trace(gate, gate->traces.path.text[i], options);
	return 0;
}

void gate_release(struct gate *gate)
{
	for (size_t i = 0; i < gate->checks; i++)
		check_release(&gate->check[i]);
	for (size_t i = 0; i < gate->baselines; i++) {
		limit_parts_release(&gate->baseline_parts[i]);
		analysis_close(&gate->baseline[i]);
	}
	free(gate->baseline_parts);
	free(gate->check);
	free(gate->baseline);
	free(gate->baseline_measured);
	trace_list_release(&gate->traces);
	rss_file_release(&gate->rss);
	rules_release(&gate->rules);
	limits_release(&gate->limits);
}

enum check_verdict gate_verdict(const struct gate *gate)
{
	enum check_verdict verdict = CHECK_PASS;

	for (size_t i = 0; i < gate->checks; i++)
		if (gate->check[i].verdict > verdict)
			verdict = gate->check[i].verdict;
	return verdict;
}

enum status gate_status(const struct gate *gate, enum check_verdict verdict, bool is_strict)
{
	if (gate->has_unreadable)
		return STATUS_UNUSABLE;
	if (is_strict && gate->is_lossy)
		return STATUS_NOT_COMPLETE;
	if (verdict == CHECK_NOT_COMPARABLE)
		return STATUS_NOT_COMPARABLE;
	return verdict == CHECK_FAIL ? STATUS_OVER : STATUS_DONE;
}
