/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reports on a selection of blocks begin with: timeline, sizes, lifetimes, ... */
#ifndef XALLOC_RENDER_RENDER_VIEW_H
#define XALLOC_RENDER_RENDER_VIEW_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/stack_rows.h"

/* The trace, the filter when there is one, warnings. */
void render_view_head(FILE *out, const struct summary *summary, const struct render_style *style);
/* The same as an object, to which the report adds its own; then written, and released. */
json_t *render_view_json(const struct summary *summary, const char *command);
void render_view_put_json(FILE *out, json_t *value);

/* The stacks of a view, at most `top` (0: all), each behind a line of `put`, and how many are left
 * out. */
struct view_rows {
	const struct stack_rows *rows;
	uint64_t top;
	void (*put)(FILE *out, const struct stack_figures *figures); /* without a line break */
};
void render_view_rows(FILE *out, const struct view_rows *view, const struct render_style *style);
/* Instead of render_view_put_json: with "other" and "stacks", whose figures have these keys; NULL:
 * not printed. */
void render_view_rows_json(FILE *out, json_t *value, const struct view_rows *view,
			   const char *const keys[STACK_FIGURES]);
/* The trace's figures by classes of powers of two, from the first to the last that has any: a bar
 * of `weight` for each, behind "LEAST to MOST". */
struct view_class {
	uint64_t weight; /* 0: the row is left out when it is the first or the last */
	char *text;      /* behind the bar; owned by the caller */
};
void render_view_classes(FILE *out, const struct view_class *classes, size_t count);

#endif
