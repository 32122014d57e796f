/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the renderers of a check have in common: its lines as plain text. Each returns a text that
 * the caller owns. */
#ifndef XALLOC_RENDER_CHECK_TEXT_H
#define XALLOC_RENDER_CHECK_TEXT_H

#include "analyzer/report/check.h"

/* "1,234", "2.5"; "-3" */
char *check_text_figure(double value);
/* "max 1,200", "max_increase 0 % of 1,150" */
char *check_text_bound(const struct check_row *row);
/* "peak_bytes is 1,300, max 1,200: 100 too much" */
char *check_text_row(const struct check_row *row);
/* "+100 calls: 200 -> 300", "300 calls" */
char *check_text_stack(const struct check_stacks *stacks, const struct check_stack *stack);
/* "limits[2]" */
char *check_text_position(const struct check_row *row);

#endif
