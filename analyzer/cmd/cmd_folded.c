/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_suppressed.h"
#include "analyzer/report/folded.h"

static void show(const struct analysis *analysis, size_t number, const struct options *options)
{
	const struct renderer *renderer = options->is_json ? &renderer_json : &renderer_folded;
	const struct render_style style = { .has_color = false };
	const struct summary *summary = &analysis->summary;
	struct folded folded;

	(void)number;
	/* Standard output is for stacks only. */
	for (size_t i = 0; i < summary->warnings.count; i++)
		print_error("%s: warning: %s", trace_path(analysis->trace),
			    summary->warnings.text[i]);
	if (summary->filtered) {
		char *text = render_filter_text(summary->filtered, summary->totals);

		print_error("%s: filter: %s", trace_path(analysis->trace), text);
		free(text);
	}
	folded_build(&folded, summary->stacks, summary->totals,
		     options->has_metric ? options->metric : METRIC_PEAK,
		     options->has_top ? options->top : 0);
	folded.filtered = summary->filtered;
	folded.suppressed = &summary->suppressed;
	folded.left = summary_left(summary);
	render_suppressed_text(stderr, &summary->suppressed, folded.left, "xalloc-report: ");
	renderer->folded(stdout, &folded, &style);
	folded_release(&folded);
}

enum status cmd_folded(const struct options *options)
{
	return analysis_each(options, show);
}
