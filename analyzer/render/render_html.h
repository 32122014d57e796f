/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One page with all that it needs in itself, which loads nothing from elsewhere: figures, live
 * bytes over time, flame graphs of the five metrics, tables of stacks, resident memory. Figures and
 * tables are there without scripts, too.
 */
#ifndef XALLOC_RENDER_RENDER_HTML_H
#define XALLOC_RENDER_RENDER_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/render/render_reconcile.h"
#include "analyzer/report/flame_tree.h"
#include "analyzer/report/summary.h"
#include "analyzer/report/timeline.h"

/* How each page begins. */
#define RENDER_HTML_BEGIN "<!DOCTYPE html>\n<!-- xalloc-report html -->\n"

struct html_page {
	const struct summary *summary;
	const struct timeline *timeline;
	const struct flame_tree *tree;
	uint64_t top;                      /* rows of a table, 0: all */
	const struct reconcile_pair *pair; /* comparable; NULL: no result of xalloc rss was given */
};

void render_html(FILE *out, const struct html_page *page, const struct render_style *style);

/* For scripts: what was written, of so many bytes. */
void render_html_json(FILE *out, const struct html_page *page, const char *path, size_t bytes);

/* An <svg> element of live bytes over time. */
void render_html_timeline(FILE *out, const struct timeline *timeline);

/* The five trees and their names as JSON, for the page's script. */
void render_html_data(FILE *out, const struct html_page *page);

#endif
