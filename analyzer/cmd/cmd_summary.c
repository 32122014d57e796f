/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/filters.h"
#include "analyzer/cmd/trace_list.h"
#include "analyzer/render/render.h"
#include "analyzer/render/render_processes.h"
#include "analyzer/report/process_tree.h"

static struct render_style style_of(const struct options *options)
{
	return (struct render_style){ .has_color = has_color(options),
				      .has_full_names = options->has_full_names };
}

static void show(const struct analysis *analysis, size_t number, const struct options *options)
{
	const struct renderer *renderer = options->is_json ? &renderer_json : &renderer_text;
	const struct render_style style = style_of(options);

	(void)number; /* one trace */
	renderer->summary(stdout, &analysis->summary, &style);
}

/* What several traces have in common is known when all of them were read: the summaries, which come
 * behind it, are kept until then. */
struct reports {
	struct process_tree tree;
	FILE *out; /* NULL: no summaries */
	char *text;
	size_t bytes;
};

static enum status read_one(struct reports *reports, const char *path,
			    const struct options *options, bool is_named)
{
	const struct render_style style = style_of(options);
	struct process_end end;
	struct analysis a;
	struct err err;
	bool is_complete;

	if (analysis_open(&a, path, &err)) {
		if (!is_named || options->is_json) /* in the text nobody is told twice */
			process_tree_add_unreadable(&reports->tree, path, err.text);
		if (!is_named)
			return options->is_strict ? STATUS_NOT_COMPLETE : STATUS_DONE;
		print_error("%s", err.text); /* it names the file */
		return STATUS_UNUSABLE;
	}
	analysis_find_end(&a, &end);
	process_tree_add(&reports->tree, a.trace, &a.result, &end);
	process_end_release(&end);
	is_complete = trace_is_complete(a.trace);
	if (reports->out) {
		analysis_summarise(&a, options);
		putc('\n', reports->out);
		renderer_text.summary(reports->out, &a.summary, &style);
	}
	analysis_close(&a);
	return options->is_strict && !is_complete ? STATUS_NOT_COMPLETE : STATUS_DONE;
}

/* The report of the trace of that row, which was read before. */
static void report_row(const struct process_tree *tree, size_t row, const struct options *options)
{
	const struct render_style style = style_of(options);
	struct analysis a;
	struct err err;

	if (analysis_open(&a, tree->row[row].path, &err)) {
		print_error("%s", err.text);
		return;
	}
	analysis_summarise(&a, options);
	putchar('\n');
	renderer_text.summary(stdout, &a.summary, &style);
	analysis_close(&a);
}

/* Those that the tree's last lines name. */
static void report_largest(const struct process_tree *tree, const struct options *options)
{
	if (tree->most_calls != PROCESS_NONE)
		report_row(tree, tree->most_calls, options);
	if (tree->greatest_peak != PROCESS_NONE && tree->greatest_peak != tree->most_calls)
		report_row(tree, tree->greatest_peak, options);
}

/* Unreadable beats not complete, which beats done. */
static enum status worse(enum status a, enum status b)
{
	if (a == STATUS_UNUSABLE || b == STATUS_UNUSABLE)
		return STATUS_UNUSABLE;
	return a == STATUS_DONE ? b : a;
}

static enum status summary_of_many(const struct trace_list *list, const struct options *options)
{
	const struct render_style style = style_of(options);
	struct reports reports = { .out = NULL };
	enum status status = STATUS_DONE;

	if (!options->is_json && !list->has_folder && !options->is_largest_only) {
		reports.out = open_memstream(&reports.text, &reports.bytes);
		if (!reports.out)
			out_of_memory(0);
	}
	for (size_t i = 0; i < list->path.count; i++)
		status = worse(status,
			       read_one(&reports, list->path.text[i], options, !list->has_folder));
	process_tree_build(&reports.tree);
	if (options->is_json)
		render_processes_json(stdout, &reports.tree);
	else if (reports.tree.count || list->has_folder)
		render_processes_text(stdout, &reports.tree, &style);
	if (reports.out && fclose(reports.out))
		out_of_memory(reports.bytes);
	if (reports.bytes)
		fwrite(reports.text, 1, reports.bytes, stdout);
	if (options->is_largest_only && !options->is_json)
		report_largest(&reports.tree, options);
	free(reports.text);
	process_tree_release(&reports.tree);
	return status;
}

enum status cmd_summary(const struct options *options)
{
	struct trace_list list = { .has_folder = false };
	struct options one = *options;
	enum status status = STATUS_DONE;
	struct err err;

	for (size_t i = 0; i < options->paths; i++)
		if (trace_list_add(&list, options->path[i], &err)) {
			print_error("%s", err.text);
			status = STATUS_UNUSABLE;
		}
	one.path = (const char **)list.path.text; /* but for folders that had none */
	one.paths = list.path.count;
	if ((list.has_folder || list.path.count > 1) &&
	    (filters_are_given(options) || options->suppress)) {
		print_error(options->suppress ? "--suppress is for one trace"
					      : "filters are for one trace");
		status = STATUS_UNUSABLE;
	} else if (list.has_folder || list.path.count > 1)
		status = worse(status, summary_of_many(&list, options));
	else if (list.path.count)
		status = worse(status, analysis_each(&one, show));
	trace_list_release(&list);
	return status;
}
