/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What suppressions took of the leaked blocks, and what is left of these. */
#ifndef XALLOC_RENDER_RENDER_SUPPRESSED_H
#define XALLOC_RENDER_RENDER_SUPPRESSED_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/report/suppressed.h"

/* A line for all, one for each, one for what is left, behind `indent`. Nothing without
 * suppressions. */
void render_suppressed_text(FILE *out, const struct suppressed_leaks *leaks, struct leaks_left left,
			    const char *indent);
/* A new reference; there are suppressions. */
json_t *render_suppressed_build(const struct suppressed_leaks *leaks, struct leaks_left left);
/* The key "suppressions" of value; without any no key. */
void render_suppressed_json(json_t *value, const struct suppressed_leaks *leaks,
			    struct leaks_left left);

#endif
