/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report is of, and what share of the whole that is. */
#ifndef XALLOC_RENDER_RENDER_FILTER_H
#define XALLOC_RENDER_RENDER_FILTER_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/report/filtered.h"

/* "thread 2, from 1.5 s: 12 of 40 allocation calls (30.0 %), ...", without a line break; owned by
 * the caller. filtered is not NULL. */
char *render_filter_text(const struct filtered *filtered, const struct totals *totals);
/* The same in a line of its own, behind "filter: ". NULL: there is none, and no line. */
void render_filter_line(FILE *out, const struct filtered *filtered, const struct totals *totals);
/* What docs/json.md calls a filter: a new reference. filtered is not NULL. */
json_t *render_filter_build(const struct filtered *filtered, const struct totals *totals);
/* The key "filter" of value. NULL: there is none, and no key. */
void render_filter_json(json_t *value, const struct filtered *filtered,
			const struct totals *totals);
/* What the peak's figures are of: "the peak", "the peak of the range", "the time asked for". */
const char *render_filter_instant(const struct filtered *filtered);

#endif
