/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks as JSON, written at once: a report may hold millions of frames, and nearly all of them are
 * repetitions. Each frame's text is made once; the rest of a report is jansson's.
 */
#ifndef XALLOC_RENDER_JSON_STACKS_H
#define XALLOC_RENDER_JSON_STACKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/report/shown_stacks.h"

struct json_stacks {
	FILE *out;
	char **text; /* of a frame, by its number; NULL: not made yet */
	size_t texts;
	const char *margin; /* spaces before each stack */
	const char *members; /* further ones of the next stack, as text, a comma behind each; NULL */
};

/* All borrowed. */
void json_stacks_init(struct json_stacks *json, FILE *out, const char *margin);
void json_stacks_release(struct json_stacks *json);

struct json_figure {
	const char *key;
	uint64_t value;
};

/*
 * Writes one element of an array of stacks, with its line break: an object of the figures and of
 * the "frames" of the walk. is_last: no comma follows.
 */
void json_stacks_put(struct json_stacks *json, const struct json_figure *figure, size_t figures,
		     struct shown_walk walk, bool is_last);

#endif
