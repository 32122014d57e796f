/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"

/* What separates frames and lines must not stand in a name. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (*name == ';')
			putc(':', out);
		else if (*name == '\n' || *name == '\r')
			putc(' ', out);
		else
			putc(*name, out);
	}
}

/* The frames of a stack, root first, in a buffer that is kept from stack to stack. */
struct path {
	const struct frame_name **frame;
	size_t count, room;
};

static void read_path(struct path *path, const struct shown_stacks *stacks, uint32_t node)
{
	path->count = 0;
	for (; node; node = shown_stacks_parent(stacks, node)) {
		if (path->count == path->room) {
			path->room = path->room * 2 + 64;
			path->frame = xreallocarray(path->frame, path->room, sizeof(*path->frame));
		}
		path->frame[path->count++] = shown_stacks_frame(stacks, node);
	}
}

static void render_folded(FILE *out, const struct folded *folded, const struct render_style *style)
{
	struct path path = { .frame = NULL };

	(void)style;
	for (size_t i = 0; i < folded->list.count; i++) {
		const struct stack_totals *sum = &folded->list.stack[i]->sum;

		read_path(&path, folded->stacks, sum->node);
		if (!path.count)
			fputs("[no stack]", out);
		for (size_t frame = path.count; frame-- > 0;) {
			put_name(out, path.frame[frame]->function);
			if (frame)
				putc(';', out);
		}
		fprintf(out, " %" PRIu64 "\n", metric_weight(sum, folded->metric));
	}
	if (folded->list.rest)
		fprintf(out, "[other stacks] %" PRIu64 "\n", folded->list.rest);
	free(path.frame);
}

const struct renderer renderer_folded = {
	.name = "folded",
	.folded = render_folded,
};
