/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changed between runs, and what of several runs varies. */
#ifndef XALLOC_RENDER_RENDER_DIFF_H
#define XALLOC_RENDER_RENDER_DIFF_H

#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/comparable.h"
#include "analyzer/report/diff.h"

struct diff_view {
	const struct diff *diff;
	const struct comparable *comparable; /* of each later run with the first one */
	size_t comparables;
	bool has_metric;
	enum metric metric; /* the only table; else all */
};

void render_diff_text(FILE *out, const struct diff_view *view, const struct render_style *style);
void render_diff_json(FILE *out, const struct diff_view *view);

#endif
