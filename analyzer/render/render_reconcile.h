/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resident memory as a sum of terms: for people, for scripts, and as a picture. */
#ifndef XALLOC_RENDER_RENDER_RECONCILE_H
#define XALLOC_RENDER_RENDER_RECONCILE_H

#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/comparable.h"
#include "analyzer/report/reconcile.h"

/* A result of xalloc rss and a trace. */
struct reconcile_pair {
	const char *rss_path, *trace_path;
	struct rss_file rss;
	struct comparable comparable;
	struct reconcile reconcile; /* only if they are comparable */
	uint64_t untracked_calls;   /* allocations of the trace that are in no figure */
};

struct reconcile_view {
	const struct reconcile_pair *pair;
	size_t pairs;
	const struct reconcile_fit *fit; /* NULL: there is one pair, or not all are comparable */
};

void render_reconcile_text(FILE *out, const struct reconcile_view *view,
			   const struct render_style *style);
void render_reconcile_json(FILE *out, const struct reconcile_view *view);
/* One <svg> element: from nothing to the peak of RSS, term by term, for each instant that is known.
 * The pair is comparable. */
void render_reconcile_svg(FILE *out, const struct reconcile_pair *pair);

#endif
