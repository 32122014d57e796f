/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render_phases.h"
#include "analyzer/report/groups.h"

/* What the command line names. */
static struct rules functions_given;

static void show(const struct analysis *analysis, size_t number, const struct options *options)
{
	const struct render_style style = { .has_color = has_color(options) };
	const struct summary *summary = &analysis->summary;
	struct groups groups, *functions = NULL;

	(void)number;
	if (options->mark_function.count) {
		functions = &groups;
		groups_build(functions, &functions_given, NULL, &analysis->result, summary->names);
	}
	if (options->is_json)
		render_phases_json(stdout, summary, functions);
	else
		render_phases_text(stdout, summary, functions, &style);
	if (functions)
		groups_release(functions);
}

enum status cmd_phases(const struct options *options)
{
	const struct path_list *names = &options->mark_function;
	enum status status = STATUS_UNUSABLE;
	size_t i = 0;
	struct err err;

	rules_init(&functions_given);
	while (i < names->count &&
	       !rules_add_all(&functions_given, names->path[i], &names->path[i], 1, &err))
		i++;
	if (i < names->count)
		print_error("--mark-function: \"%s\": %s", names->path[i], err.text);
	else
		status = analysis_each(options, show);
	rules_release(&functions_given);
	return status;
}
