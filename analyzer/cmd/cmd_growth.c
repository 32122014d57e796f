/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/filters.h"
#include "analyzer/render/render_growth.h"
#include "analyzer/report/growth_report.h"

enum status cmd_growth(const struct options *options)
{
	const struct render_style style = { .has_color = has_color(options),
					    .has_full_names = options->has_full_names };
	struct growth growth = { .samples = 0 };
	const struct selection_view view = { .growth = &growth };
	struct growth_report report;
	struct analysis a;
	struct err err;
	bool is_complete;

	if (filters_are_given(options)
		    ? analysis_open_view(&a, options->path[0], options, &view, NULL, &err)
		    : analysis_open_growth(&a, options->path[0], &growth, &err)) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	analysis_summarise(&a, options);
	growth_report_build(&report, &growth, a.summary.stacks);
	if (options->is_json)
		render_growth_json(stdout, &a.summary, &report, options->top);
	else
		render_growth_text(stdout, &a.summary, &report, options->top, &style);
	is_complete = a.summary.is_complete;
	growth_report_release(&report);
	growth_release(&growth);
	analysis_close(&a);
	return options->is_strict && !is_complete ? STATUS_NOT_COMPLETE : STATUS_DONE;
}
