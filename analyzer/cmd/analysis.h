/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands that report on traces have in common: read, replay, summarise, for each trace in
 * turn. */
#ifndef XALLOC_CMD_ANALYSIS_H
#define XALLOC_CMD_ANALYSIS_H

#include <stdbool.h>

#include "analyzer/cmd/options.h"
#include "analyzer/model/replay.h"
#include "analyzer/report/filtered.h"
#include "analyzer/report/summary.h"
#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/trace.h"

struct analysis {
	struct trace *trace;
	struct result result;
	struct summary summary;
	struct filtered filtered; /* what of the trace this is, when filters were given */
	bool is_filtered;
};

/*
 * Calls show for each trace of the command line. A trace that cannot be read is one line on
 * standard error. Returns the exit status of it all: unreadable beats --strict's "not complete".
 */
enum status analysis_each(const struct options *options,
			  void (*show)(const struct analysis *analysis, size_t number,
				       const struct options *options));

/* The same for commands that name stacks themselves: summary_build_figures. */
enum status analysis_each_figures(const struct options *options,
				  void (*show)(const struct analysis *analysis, size_t number,
					       const struct options *options));

/* What --suppress names; from here on each summary, and the result that it is of, is without what
 * that takes of the leaked blocks. -1: it cannot be read. Release either way. */
int analysis_read_suppressions(const struct options *options, struct err *err);
void analysis_release_suppressions(void);

/* How the command line wants the trace's frames named; borrows both. */
struct symbolizer_options analysis_symbols(const struct options *options,
					   const struct trace *trace);

/* One trace, read and replayed, without a summary. -1: it cannot be read; err names it. */
int analysis_open(struct analysis *analysis, const char *path, struct err *err);
/* The same as far as the options select it. */
int analysis_open_filtered(struct analysis *analysis, const char *path,
			   const struct options *options, struct err *err);
/* The same for a view of the selected blocks, whether there are filters or not; where: as in
 * selection_finish. */
int analysis_open_view(struct analysis *analysis, const char *path, const struct options *options,
		       const struct selection_view *view, uint32_t **where, struct err *err);
/* The same, and growth is filled in. */
int analysis_open_growth(struct analysis *analysis, const char *path, struct growth *growth,
			 struct err *err);
/* For who opens a->trace without: moment is looked at, NULL: none. */
void analysis_replay(struct analysis *analysis, struct moment *moment);
/* How its process ended; looks for the trace of its next program, too. */
void analysis_find_end(const struct analysis *analysis, struct process_end *end);
void analysis_summarise(struct analysis *analysis, const struct options *options);
/* The same without stacks: summary_build_figures. */
void analysis_summarise_figures(struct analysis *analysis, const struct options *options);
/* With a summary or without. */
void analysis_close(struct analysis *analysis);

/* replay_run; on a terminal standard error shows how far it is, when it takes long. */
void replay_with_progress(struct trace *trace, struct result *result,
			  const struct replay_tap *tap);
/* The same with a moment, NULL: none. */
void replay_to_moment(struct trace *trace, struct result *result, const struct replay_tap *tap,
		      struct moment *moment);

/* Whether standard output is to be coloured. */
bool has_color(const struct options *options);

/* "xalloc-report: ..." on standard error, and for output to a terminal the text's control
 * characters masked. */
void print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
