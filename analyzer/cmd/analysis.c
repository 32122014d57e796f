/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/analysis.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/filters.h"
#include "analyzer/render/progress.h"
#include "analyzer/report/process_end.h"
#include "analyzer/trace/trace_header.h"

/* Of the command line, read once for all traces; without a path there are none. */
static struct suppressions suppressions;

int analysis_read_suppressions(const struct options *options, struct err *err)
{
	return options->suppress ? suppressions_read(&suppressions, options->suppress, err) : 0;
}

void analysis_release_suppressions(void)
{
	suppressions_release(&suppressions);
	suppressions = (struct suppressions){ .path = NULL };
}

void print_error(const char *fmt, ...)
{
	char *text;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	for (char *at = text; at && *at; at++) {
		const unsigned char c = (unsigned char)*at, next = (unsigned char)at[1];

		if (c < 0x20 || c == 0x7F)
			*at = '?';
		else if (c == 0xC2 && next >= 0x80 && next < 0xA0) /* U+0080 to U+009F */
			at[0] = at[1] = '?';
	}
	fprintf(stderr, "xalloc-report: %s\n", text ? text : "out of memory");
	free(text);
}

bool has_color(const struct options *options)
{
	const char *term = getenv("TERM"), *refusal = getenv("NO_COLOR");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(refusal && *refusal) && term && strcmp(term, "dumb");
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void tell(void *owner, uint64_t done, uint64_t all)
{
	progress_tell(owner, now_ns(), done, all);
}

static void run_replay(struct trace *trace, struct result *result, const struct replay_tap *tap,
		       struct growth *growth, struct moment *moment)
{
	char *what = xasprintf("reading %s", trace_path(trace));
	struct progress progress;
	const struct replay_watch watch = { isatty(STDERR_FILENO) ? tell : NULL, &progress, tap,
					    growth, moment };

	progress_init(&progress, stderr, what, now_ns());
	replay_run(trace, result, &watch);
	progress_clear(&progress);
	free(what);
}

void replay_with_progress(struct trace *trace, struct result *result, const struct replay_tap *tap)
{
	run_replay(trace, result, tap, NULL, NULL);
}

void replay_to_moment(struct trace *trace, struct result *result, const struct replay_tap *tap,
		      struct moment *moment)
{
	run_replay(trace, result, tap, NULL, moment);
}

struct symbolizer_options analysis_symbols(const struct options *options, const struct trace *trace)
{
	return (struct symbolizer_options){
		.search = { .debug_dir = options->debug_dir,
			    .debug_dirs = options->debug_dirs,
			    .sysroot = options->sysroot,
			    .cwd = trace_cwd(trace),
			    .has_debuginfod = options->has_debuginfod },
		.bundle = options->symbols,
		.trace = trace_path(trace),
		.has_cache = !options->has_no_cache,
		.demangle = options->demangle,
	};
}

int analysis_open_growth(struct analysis *a, const char *path, struct growth *growth,
			 struct err *err)
{
	*a = (struct analysis){ .trace = NULL };
	if (trace_open(&a->trace, path, err))
		return -1;
	run_replay(a->trace, &a->result, NULL, growth, NULL);
	return 0;
}

void analysis_replay(struct analysis *a, struct moment *moment)
{
	run_replay(a->trace, &a->result, NULL, NULL, moment);
}

int analysis_open(struct analysis *a, const char *path, struct err *err)
{
	return analysis_open_growth(a, path, NULL, err);
}

static bool find_next(const struct trace *trace, struct xt_header *next)
{
	char *path = process_end_next_path(trace);
	const bool has_next = !trace_header_read(next, path, NULL);

	free(path);
	return has_next;
}

int analysis_open_view(struct analysis *a, const char *path, const struct options *options,
		       const struct selection_view *view, uint32_t **where, struct err *err)
{
	*a = (struct analysis){ .is_filtered = filters_are_given(options) };
	if (filters_check(options, err) || trace_open(&a->trace, path, err))
		return -1;
	if (!filters_replay(a->trace, options, view, &a->result, &a->filtered, where, err))
		return 0;
	trace_close(a->trace);
	return -1;
}

int analysis_open_filtered(struct analysis *a, const char *path, const struct options *options,
			   struct err *err)
{
	if (filters_are_given(options))
		return analysis_open_view(a, path, options, NULL, NULL, err);
	return analysis_open(a, path, err);
}

void analysis_find_end(const struct analysis *a, struct process_end *end)
{
	struct xt_header next;

	process_end_find(end, a->trace, find_next(a->trace, &next) ? &next : NULL);
}

void analysis_summarise(struct analysis *a, const struct options *options)
{
	const struct symbolizer_options symbols = analysis_symbols(options, a->trace);
	const struct summary_view view = { options->top, options->folds_std,
					   a->is_filtered ? &a->filtered : NULL,
					   suppressions.path ? &suppressions : NULL };
	struct xt_header next;

	summary_build(&a->summary, a->trace, &a->result, find_next(a->trace, &next) ? &next : NULL,
		      &symbols, &view);
}

void analysis_summarise_figures(struct analysis *a, const struct options *options)
{
	const struct symbolizer_options symbols = analysis_symbols(options, a->trace);
	struct xt_header next;

	summary_build_figures(&a->summary, a->trace, &a->result,
			      find_next(a->trace, &next) ? &next : NULL, &symbols,
			      suppressions.path ? &suppressions : NULL);
	if (a->is_filtered)
		a->summary.filtered = &a->filtered;
}

void analysis_close(struct analysis *a)
{
	if (a->summary.trace)
		summary_release(&a->summary);
	result_release(&a->result);
	trace_close(a->trace);
}

static enum status each(const struct options *options,
			void (*summarise)(struct analysis *analysis, const struct options *options),
			void (*show)(const struct analysis *analysis, size_t number,
				     const struct options *options))
{
	enum status status = STATUS_DONE;

	for (size_t i = 0; i < options->paths; i++) {
		struct analysis a;
		struct err err;

		if (analysis_open_filtered(&a, options->path[i], options, &err)) {
			print_error("%s", err.text); /* it names the file */
			status = STATUS_UNUSABLE;
			continue;
		}
		summarise(&a, options);
		show(&a, i, options);
		if (options->is_strict && !a.summary.is_complete && status == STATUS_DONE)
			status = STATUS_NOT_COMPLETE;
		analysis_close(&a);
	}
	return status;
}

enum status analysis_each(const struct options *options,
			  void (*show)(const struct analysis *analysis, size_t number,
				       const struct options *options))
{
	return each(options, analysis_summarise, show);
}

enum status analysis_each_figures(const struct options *options,
				  void (*show)(const struct analysis *analysis, size_t number,
					       const struct options *options))
{
	return each(options, analysis_summarise_figures, show);
}
