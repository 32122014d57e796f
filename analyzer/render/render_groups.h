/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `groups`, in the two forms that it has. */
#ifndef XALLOC_RENDER_RENDER_GROUPS_H
#define XALLOC_RENDER_RENDER_GROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/groups.h"

struct groups_view {
	const char *path;       /* the trace's, as it was named */
	const char *rules_path; /* NULL: no rules */
	const struct groups *groups;
	const struct warnings *warnings; /* besides those of the groups */
	const struct filtered *filtered; /* NULL: they are of the whole trace */
	bool is_complete;
	bool by_metric;     /* the largest group first; else as in the rules */
	enum metric metric; /* of the order, and of the stacks below */
	/* The stacks that are to be shown, of one group; NULL: none. */
	const struct group *explained;
	const struct shown_stacks *stacks;
	uint64_t top; /* so many of them, 0: all */
};

void render_groups_text(FILE *out, const struct groups_view *view,
			const struct render_style *style);
void render_groups_json(FILE *out, const struct groups_view *view);

#endif
