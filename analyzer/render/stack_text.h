/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stack of a report for people: a line a frame, from the innermost. */
#ifndef XALLOC_RENDER_STACK_TEXT_H
#define XALLOC_RENDER_STACK_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/shown_stacks.h"

struct stack_text {
	FILE *out;
	const struct render_style *style;
	/* What is to be said of a frame at the end of its line, owned by the caller; NULL: nothing.
	 * is_leaf, is_root: it is the first or the last one. The function may be NULL, too. */
	char *(*note)(void *owner, const struct frame_name *frame, bool is_leaf, bool is_root);
	void *owner;
};

/* Of a very deep stack the middle is left out. */
void stack_text_put(const struct stack_text *text, struct shown_walk walk);

#endif
