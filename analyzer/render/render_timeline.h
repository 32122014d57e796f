/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `timeline`, in the two forms that it has. */
#ifndef XALLOC_RENDER_RENDER_TIMELINE_H
#define XALLOC_RENDER_RENDER_TIMELINE_H

#include <stdio.h>

#include "analyzer/report/timeline.h"
#include "analyzer/render/render.h"

void render_timeline_text(FILE *out, const struct summary *summary, const struct timeline *timeline,
			  const struct render_style *style);
void render_timeline_json(FILE *out, const struct summary *summary,
			  const struct timeline *timeline);

#endif
