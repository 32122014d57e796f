/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one more unit of work costs, for people and for scripts. */
#ifndef XALLOC_RENDER_RENDER_SLOPE_H
#define XALLOC_RENDER_RENDER_SLOPE_H

#include <stdio.h>

#include "analyzer/report/slope.h"

void render_slope_text(FILE *out, const struct slope *slope);
void render_slope_json(FILE *out, const struct slope *slope);

#endif
