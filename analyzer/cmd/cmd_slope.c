/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render_slope.h"
#include "analyzer/report/comparable.h"
#include "analyzer/report/slope.h"

/* --n1 belongs to the first trace, and so on: as many as there are traces, all different. */
static int read_work(const struct options *options, struct slope_run *run, struct err *err)
{
	for (size_t i = 0; i < SLOPE_RUNS; i++) {
		const char *text = options->work[i];
		char *end;

		if ((text != NULL) != (i < options->paths))
			return err_set(err,
				       text ? "--n%zu: there is no such trace"
					    : "--n%zu is needed for the trace of that number",
				       i + 1);
		if (!text)
			continue;
		errno = 0;
		run[i].work = strtoull(text, &end, 10);
		if (*text < '0' || *text > '9' || *end || errno || run[i].work >> 53)
			return err_set(err, "--n%zu: %s is not a number", i + 1, text);
		for (size_t j = 0; j < i; j++)
			if (run[j].work == run[i].work)
				return err_set(err, "--n%zu and --n%zu are the same", j + 1, i + 1);
	}
	return 0;
}

/* Is it a run that says how much work costs? first: the program of the first one. */
static bool is_comparable(const struct trace *trace, const char *first)
{
	const char *exe = trace_exe(trace) ? comparable_base_name(trace_exe(trace)) : "";

	if (!trace_is_complete(trace))
		print_error("%s: not comparable: it is not complete", trace_path(trace));
	else if (strcmp(first, exe))
		print_error("%s: not comparable: a trace of %s, and the first is one of %s",
			    trace_path(trace), *exe ? exe : "another program", first);
	else
		return true;
	return false;
}

enum status cmd_slope(const struct options *options)
{
	struct slope_run run[SLOPE_RUNS] = { { .path = NULL } };
	enum status status = STATUS_DONE;
	char *first = NULL;
	struct slope slope;
	struct err err;

	if (read_work(options, run, &err)) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	for (size_t i = 0; i < options->paths; i++) {
		struct analysis a;

		if (analysis_open_filtered(&a, options->path[i], options, &err)) {
			print_error("%s", err.text);
			status = STATUS_UNUSABLE;
			continue;
		}
		run[i].path = options->path[i];
		run[i].totals = a.result.totals;
		run[i].is_filtered = a.is_filtered;
		run[i].filtered = a.filtered;
		if (!first)
			first = xstrdup(
				trace_exe(a.trace) ? comparable_base_name(trace_exe(a.trace)) : "");
		if (!is_comparable(a.trace, first) && status != STATUS_UNUSABLE)
			status = options->is_strict && !trace_is_complete(a.trace)
					 ? STATUS_NOT_COMPLETE
				 : status == STATUS_DONE ? STATUS_NOT_COMPARABLE
							 : status;
		analysis_close(&a);
	}
	free(first);
	if (status != STATUS_DONE)
		return status;
	slope_build(&slope, run, options->paths);
	if (options->is_json)
		render_slope_json(stdout, &slope);
	else
		render_slope_text(stdout, &slope);
	slope_release(&slope);
	return STATUS_DONE;
}
