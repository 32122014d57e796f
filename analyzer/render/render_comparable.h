/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether two runs are comparable, and what differs around them, for people and for scripts. */
#ifndef XALLOC_RENDER_RENDER_COMPARABLE_H
#define XALLOC_RENDER_RENDER_COMPARABLE_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/report/comparable.h"

/* Facts that are not equal, "before -> after"; path is said with the verdict, NULL: none. */
void render_comparable_text(FILE *out, const struct comparable *comparable, const char *path);
/* before, after: what the two sides are called. A new reference. */
json_t *render_comparable_json(const struct comparable *comparable, const char *before,
			       const char *after);

#endif
