/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render_groups.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/rules.h"
#include "analyzer/report/suppressions.h"

/* What the command line names, read once for all traces. */
static struct {
	struct rules rules;
	struct suppressions suppressions;
} given;

static void show(const struct analysis *analysis, size_t number, const struct options *options)
{
	const struct summary *summary = &analysis->summary;
	const struct render_style style = { .has_color = has_color(options),
					    .has_full_names = options->has_full_names };
	struct group_stacks explained = { .stacks = NULL };
	struct groups groups;
	struct groups_view view = { .path = trace_path(analysis->trace),
				    .rules_path = options->rules,
				    .groups = &groups,
				    .warnings = &summary->warnings,
				    .filtered = summary->filtered,
				    .is_complete = summary->is_complete,
				    .by_metric = options->has_metric,
				    .metric = options->has_metric ? options->metric : METRIC_PEAK,
				    .top = options->top };

	groups_build(&groups, &given.rules, options->suppress ? &given.suppressions : NULL,
		     &analysis->result, summary->names);
	if (options->explain) {
		view.explained = groups_find(&groups, options->explain);
		group_stacks_build(&explained, &groups, view.explained, &analysis->result);
		view.stacks = explained.stacks;
	}
	if (number)
		putchar('\n');
	if (options->is_json)
		render_groups_json(stdout, &view);
	else
		render_groups_text(stdout, &view, &style);
	if (options->explain)
		group_stacks_release(&explained);
	groups_release(&groups);
}

static int read_given(const struct options *options, struct err *err)
{
	if (!options->rules && !options->suppress)
		return err_set(err, "groups needs --rules RULES.json or --suppress FILE");
	if (!options->rules)
		rules_init(&given.rules);
	else if (rules_read(&given.rules, options->rules, err))
		return -1;
	if (options->suppress && suppressions_read(&given.suppressions, options->suppress, err))
		return -1;
	if (options->explain && !rules_has_group(&given.rules, options->explain))
		return err_set(err, "--explain: there is no group \"%s\" in %s", options->explain,
			       options->rules ? options->rules : "the rules");
	return 0;
}

enum status cmd_groups(const struct options *options)
{
	enum status status = STATUS_UNUSABLE;
	struct err err;

	if (read_given(options, &err))
		print_error("%s", err.text);
	else
		status = analysis_each_figures(options, show);
	rules_release(&given.rules);
	suppressions_release(&given.suppressions);
	return status;
}
