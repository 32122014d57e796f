/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/report/timeline.h"
#include "analyzer/render/render_timeline.h"

static void show(struct analysis *a, struct timeline *timeline, const struct options *options)
{
	const struct selection_rule *rule = &options->selection;
	const struct render_style style = { .has_color = has_color(options) };
	uint64_t end_ns = a->result.totals.duration_ns;

	if (rule->has_to && rule->to < end_ns)
		end_ns = rule->to;
	timeline_finish(timeline, end_ns);
	analysis_summarise_figures(a, options);
	if (options->is_json)
		render_timeline_json(stdout, &a->summary, timeline);
	else
		render_timeline_text(stdout, &a->summary, timeline, &style);
}

enum status cmd_timeline(const struct options *options)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	enum status status = STATUS_UNUSABLE;
	struct analysis a;
	struct err err;

	timeline_init(timeline);
	if (analysis_open_view(&a, options->path[0], options, &timeline->view, NULL, &err)) {
		print_error("%s", err.text);
	} else {
		show(&a, timeline, options);
		status = options->is_strict && !a.summary.is_complete ? STATUS_NOT_COMPLETE
								      : STATUS_DONE;
		analysis_close(&a);
	}
	free(timeline);
	return status;
}
