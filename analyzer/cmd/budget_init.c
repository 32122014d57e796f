/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/budget_init.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/budget_file.h"
#include "analyzer/cmd/limit_parts.h"
#include "analyzer/cmd/output_file.h"
#include "analyzer/cmd/session_traces.h"
#include "analyzer/report/comparable.h"
#include "analyzer/report/limits_draft.h"

/* A trace that no check would judge is none to write a budget from. */
static enum status judge_run(const struct analysis *a, const struct analysis *first,
			     const struct options *options)
{
	const char *end = a->summary.end.text, *path = trace_path(a->trace);
	struct comparable comparable;
	bool is_comparable;

	if (!a->summary.is_complete) {
		print_error("%s: the trace is not complete", path);
		return options->is_strict ? STATUS_NOT_COMPLETE : STATUS_NOT_COMPARABLE;
	}
	if (!options->allows_signal && (!strcmp(end, "killed") || !strncmp(end, "signal:", 7))) {
		print_error("%s: a signal ended the process (%s)", path, end);
		return STATUS_NOT_COMPARABLE;
	}
	if (a == first)
		return STATUS_DONE;
	comparable_build(&comparable, first->trace, a->trace);
	is_comparable = comparable.is_comparable;
	for (size_t i = 0; i < comparable.facts; i++)
		if (comparable.fact[i].is_reason)
			print_error("%s: not comparable with the first: %s is \"%s\", there \"%s\"",
				    path, comparable.fact[i].name, comparable.fact[i].after,
				    comparable.fact[i].before);
	comparable_release(&comparable);
	return is_comparable ? STATUS_DONE : STATUS_NOT_COMPARABLE;
}

static enum status add_run(struct limits_draft *draft, struct analysis *a,
			   const struct analysis *first, const struct rules *rules,
			   const struct options *options)
{
	struct measured measured = { .rules = rules };
	struct limit_parts parts;
	enum status status;
	struct err err;

	analysis_summarise_figures(a, options);
	status = judge_run(a, first, options);
	if (status != STATUS_DONE)
		return status;
	measured.result = &a->result;
	measured.summary = &a->summary;
	if (a == first)
		limits_draft_plan(draft, &measured);
	if (limit_parts_read(&parts, &draft->limits, trace_path(a->trace), &measured, options,
			     &err)) {
		print_error("%s", err.text);
		status = STATUS_UNUSABLE;
	} else {
		limits_draft_add(draft, &measured);
	}
	limit_parts_release(&parts);
	return status;
}

/* Of a native run of the same work as that of the first trace. */
static enum status add_rss(struct limits_draft *draft, const struct analysis *first,
			   const char *path)
{
	struct comparable comparable;
	struct rss_file file;
	bool is_comparable;
	struct err err;

	if (rss_file_read(&file, path, &err)) {
		print_error("%s", err.text);
		rss_file_release(&file);
		return STATUS_UNUSABLE;
	}
	comparable_build_rss(&comparable, &file, first->trace, first->summary.end.text);
	is_comparable = comparable.is_comparable;
	for (size_t i = 0; i < comparable.facts; i++)
		if (comparable.fact[i].is_reason)
			print_error("%s: not comparable with the first trace: %s is \"%s\", there "
				    "\"%s\"",
				    path, comparable.fact[i].name, comparable.fact[i].before,
				    comparable.fact[i].after);
	if (is_comparable)
		limits_draft_add_rss(draft, &file);
	comparable_release(&comparable);
	rss_file_release(&file);
	return is_comparable ? STATUS_DONE : STATUS_NOT_COMPARABLE;
}

static enum status add_traces(struct limits_draft *draft, struct analysis *first,
			      const struct rules *rules, const struct options *options)
{
	enum status status = STATUS_DONE;
	struct analysis later;
	struct err err;

	for (size_t i = 0; i < options->paths && status == STATUS_DONE; i++) {
		struct analysis *a = first->trace ? &later : first;

		if (rss_file_may_be(options->path[i]))
			continue;
		if (analysis_open(a, options->path[i], &err)) {
			print_error("%s", err.text);
			return STATUS_UNUSABLE;
		}
		status = add_run(draft, a, first, rules, options);
		if (a != first)
			analysis_close(a);
	}
	return status;
}

static enum status read_runs(struct limits_draft *draft, const struct rules *rules,
			     const struct options *options)
{
	struct analysis first = { .trace = NULL };
	enum status status = add_traces(draft, &first, rules, options);

	if (status == STATUS_DONE && first.trace)
		session_traces_say(&first.summary, options->path, options->paths);

	if (status == STATUS_DONE && !first.trace) {
		print_error("no trace is given (--help shows how)");
		status = STATUS_UNUSABLE;
	}
	for (size_t i = 0; i < options->rss.count && status == STATUS_DONE; i++)
		status = add_rss(draft, &first, options->rss.path[i]);
	for (size_t i = 0; i < options->paths && status == STATUS_DONE; i++)
		if (rss_file_may_be(options->path[i]))
			status = add_rss(draft, &first, options->path[i]);
	if (first.trace)
		analysis_close(&first);
	return status;
}

/* Rules are named from where the budget is. */
static char *rules_name(const struct options *options)
{
	const char *slash = options->out ? strrchr(options->out, '/') : NULL;
	char *real;

	if (!slash || *options->rules == '/')
		return xstrdup(options->rules);
	real = realpath(options->rules, NULL);
	return real ? real : xstrdup(options->rules);
}

static enum status write_draft(struct limits_draft *draft, const struct options *options)
{
	char *name = options->rules ? rules_name(options) : NULL, *text;
	enum status status = STATUS_DONE;
	struct err err;

	if (name && !limits_can_name(name)) {
		print_error("--rules: %s: a budget cannot name it, for it is not UTF-8", name);
		free(name);
		return STATUS_UNUSABLE;
	}
	text = limits_draft_text(draft, name);
	if (output_file_write(text, options->out, &err)) {
		print_error("%s", err.text);
		status = STATUS_UNUSABLE;
	}
	for (size_t i = 0; i < draft->left_out.count; i++)
		print_error("%s: no limit is written", draft->left_out.text[i]);
	free(text);
	free(name);
	return status;
}

enum status budget_init(const struct options *options)
{
	enum status status = STATUS_UNUSABLE;
	struct limits_draft draft;
	struct rules rules;
	struct err err;

	limits_draft_init(&draft, options->paths);
	if (!options->rules)
		rules_init(&rules);
	if ((options->rules && rules_read(&rules, options->rules, &err)) ||
	    budget_file_check(options->out, &err)) {
		print_error("%s", err.text);
	} else {
		status = read_runs(&draft, options->rules ? &rules : NULL, options);
		if (status == STATUS_DONE)
			status = write_draft(&draft, options);
	}
	limits_draft_release(&draft);
	rules_release(&rules);
	return status;
}
