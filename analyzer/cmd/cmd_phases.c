/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render_phases.h"

static void show(const struct analysis *analysis, size_t number, const struct options *options)
{
	const struct render_style style = { .has_color = options->color == COLOR_ALWAYS };

	(void)number;
	if (options->is_json)
		render_phases_json(stdout, &analysis->summary);
	else
		render_phases_text(stdout, &analysis->summary, &style);
}

enum status cmd_phases(const struct options *options)
{
	return analysis_each(options, show);
}
