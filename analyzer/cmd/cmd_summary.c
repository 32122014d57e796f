/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render.h"

static bool has_color(enum color color)
{
	const char *term = getenv("TERM"), *refusal = getenv("NO_COLOR");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(refusal && *refusal) && term && strcmp(term, "dumb");
}

static void show(const struct analysis *analysis, size_t number, const struct options *options)
{
	const struct renderer *renderer = options->is_json ? &renderer_json : &renderer_text;
	const struct render_style style = { .has_color = has_color(options->color),
					    .has_full_names = options->has_full_names };

	if (number)
		putchar('\n');
	renderer->summary(stdout, &analysis->summary, &style);
}

enum status cmd_summary(const struct options *options)
{
	return analysis_each(options, show);
}
