/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program told of its own course, with the figures of each part. */
#ifndef XALLOC_RENDER_RENDER_PHASES_H
#define XALLOC_RENDER_RENDER_PHASES_H

#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/summary.h"

/* functions: groups that are shown as phases are, by the functions in their stacks; NULL: none. */
void render_phases_text(FILE *out, const struct summary *summary, const struct groups *functions,
			const struct render_style *style);
void render_phases_json(FILE *out, const struct summary *summary, const struct groups *functions);

/* Further lines of a summary: how many phases and pools there are, what did not count. */
void render_told_lines(FILE *out, const struct summary *summary);

#endif
