/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output formats. A renderer writes a finished result to a stream; write errors stay in the stream
 * for the caller to see (ferror). A function that is NULL is a result that the format has no form
 * for.
 */
#ifndef XALLOC_RENDER_RENDER_H
#define XALLOC_RENDER_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/report/folded.h"
#include "analyzer/report/summary.h"

struct render_style {
	bool has_color; /* escape sequences for a terminal */
	bool has_full_names; /* else long names are shortened for people: short_name.h */
};

struct renderer {
	const char *name;
	void (*summary)(FILE *out, const struct summary *summary, const struct render_style *style);
	void (*folded)(FILE *out, const struct folded *folded, const struct render_style *style);
};

extern const struct renderer renderer_text; /* for people */
extern const struct renderer renderer_json; /* one object; docs/reports.md */
extern const struct renderer renderer_folded; /* collapsed stacks: main;build;join_path WEIGHT */

#endif
