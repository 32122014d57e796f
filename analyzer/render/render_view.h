/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reports on a selection of blocks begin with: timeline, sizes, lifetimes, ... */
#ifndef XALLOC_RENDER_RENDER_VIEW_H
#define XALLOC_RENDER_RENDER_VIEW_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/render/render.h"

/* The trace, the filter when there is one, warnings. */
void render_view_head(FILE *out, const struct summary *summary, const struct render_style *style);
/* The same as an object, to which the report adds its own; then written, and released. */
json_t *render_view_json(const struct summary *summary, const char *command);
void render_view_put_json(FILE *out, json_t *value);

#endif
