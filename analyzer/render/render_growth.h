/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stacks grow from iteration to iteration, for people and for scripts. */
#ifndef XALLOC_RENDER_RENDER_GROWTH_H
#define XALLOC_RENDER_RENDER_GROWTH_H

#include <stdint.h>
#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/growth_report.h"
#include "analyzer/report/summary.h"

/* top: so many stacks, 0: all. */
void render_growth_text(FILE *out, const struct summary *summary,
			const struct growth_report *report, uint64_t top,
			const struct render_style *style);
void render_growth_json(FILE *out, const struct summary *summary,
			const struct growth_report *report, uint64_t top);

#endif
