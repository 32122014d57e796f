/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which patterns of a rules file match which frames. Each pattern is tried once with each distinct
 * name, file and module, not with each stack.
 */
#ifndef XALLOC_REPORT_FRAME_SETS_H
#define XALLOC_REPORT_FRAME_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/bit_sets.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/report/rules.h"

/* Sets of positions in rules.pattern, by their number in frame_sets_sets: of the patterns that
 * apply to a frame wherever it is, and of those that it has besides as the innermost and as the
 * outermost frame of a stack. */
struct frame_set {
	bool is_known;
	uint32_t anywhere, leaf, root;
};

struct frame_sets;

/* What is matched: names (qualified and whole ones together), files, modules. */
enum frame_text { FRAME_TEXT_NAME, FRAME_TEXT_FILE, FRAME_TEXT_MODULE, FRAME_TEXTS };

/* Which of them a frame has; NULL: it has none. */
const char *frame_text(const struct frame_name *frame, enum frame_text kind);

/* The kind that a pattern looks at. */
enum frame_text frame_text_of(enum pattern_subject subject);

/* Both are borrowed. names: NULL for frame_sets_match alone. */
struct frame_sets *frame_sets_new(const struct rules *rules, const struct frame_names *names);
void frame_sets_free(struct frame_sets *frames); /* NULL is fine */

/* For an id of the result's tree: with the frames that are inlined at this address. Valid until the
 * next get. */
const struct frame_set *frame_sets_get(struct frame_sets *frames, uint32_t id);
struct bit_sets *frame_sets_sets(const struct frame_sets *frames);

/* The set of the patterns that match such a text, whatever end they look at. */
uint32_t frame_sets_match(struct frame_sets *frames, enum frame_text kind, const char *text);
/* Whether one pattern matches one frame, wherever that is in its stack. */
bool frame_sets_matches(struct frame_sets *frames, uint32_t pattern,
			const struct frame_name *frame);

#endif
