/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reports of `sizes`, `lifetimes`, `growth-copies` and `threads`, each in the two forms that it
 * has. top: stacks and rows, 0: all. */
#ifndef XALLOC_RENDER_RENDER_VIEWS_H
#define XALLOC_RENDER_RENDER_VIEWS_H

#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/growth_copies.h"
#include "analyzer/report/lifetimes.h"
#include "analyzer/report/sizes.h"
#include "analyzer/report/stack_rows.h"
#include "analyzer/report/thread_pairs.h"

void render_sizes_text(FILE *out, const struct summary *summary, const struct sizes *sizes,
		       const struct stack_rows *rows, uint64_t top,
		       const struct render_style *style);
void render_sizes_json(FILE *out, const struct summary *summary, const struct sizes *sizes,
		       const struct stack_rows *rows, uint64_t top);

void render_lifetimes_text(FILE *out, const struct summary *summary,
			   const struct lifetimes *lifetimes, const struct stack_rows *rows,
			   uint64_t top, const struct render_style *style);
void render_lifetimes_json(FILE *out, const struct summary *summary,
			   const struct lifetimes *lifetimes, const struct stack_rows *rows,
			   uint64_t top);

void render_growth_copies_text(FILE *out, const struct summary *summary,
			       const struct stack_rows *rows, uint64_t top,
			       const struct render_style *style);
void render_growth_copies_json(FILE *out, const struct summary *summary,
			       const struct stack_rows *rows, uint64_t top);

void render_threads_text(FILE *out, const struct summary *summary, const struct thread_pairs *pairs,
			 uint64_t top, const struct render_style *style);
void render_threads_json(FILE *out, const struct summary *summary, const struct thread_pairs *pairs,
			 uint64_t top);

#endif
