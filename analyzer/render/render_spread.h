/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of several runs is always the same, and what varies. */
#ifndef XALLOC_RENDER_RENDER_SPREAD_H
#define XALLOC_RENDER_RENDER_SPREAD_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/report/spread.h"

/* "12 [10..13]", or "12" alone, in so many columns. */
void render_spread_put(FILE *out, const struct spread *spread, int width);

/* What of its trace a run is, and what was suppressed, behind its path: lines and, of all, the keys
 * "filters" and "suppressions"; nothing when they are whole. */
void render_runs_part(FILE *out, const struct run *run);
void render_runs_parts(json_t *value, const struct runs *runs);

/* table: of the first METRIC_COUNT metrics. */
void render_spread_text(FILE *out, const struct runs *runs, const struct spread_table *table);
void render_spread_json(FILE *out, const struct runs *runs, const struct spread_table *table);

#endif
