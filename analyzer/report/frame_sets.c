/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/frame_sets.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/name_parts.h"
#include "analyzer/base/page_table.h"
#include "analyzer/base/name_pool.h"

/* The set of patterns that match a text, by the number that the pool gives it. */
struct text_sets {
	bool is_asked; /* some pattern looks at such texts */
	struct name_pool *pool;
	uint32_t *set;
	uint32_t room;
};

struct frame_sets {
	const struct rules *rules;
	const struct frame_names *names;
	struct bit_sets *sets;
	struct text_sets texts[FRAME_TEXTS];
	uint64_t *end_mask[3];   /* by enum pattern_end: the patterns that look there */
	uint64_t *masked;        /* scratch: one set */
	struct page_table known; /* struct frame_set, by the number of the innermost frame */
};

enum frame_text frame_text_of(enum pattern_subject subject)
{
	switch (subject) {
	case PATTERN_FILE:
		return FRAME_TEXT_FILE;
	case PATTERN_MODULE:
		return FRAME_TEXT_MODULE;
	case PATTERN_NAME:
	case PATTERN_FULL:
		break;
	}
	return FRAME_TEXT_NAME;
}

struct frame_sets *frame_sets_new(const struct rules *rules, const struct frame_names *names)
{
	struct frame_sets *frames = xcalloc(1, sizeof(*frames));
	size_t words;

	frames->rules = rules;
	frames->names = names;
	frames->sets = bit_sets_new(rules->patterns);
	words = bit_sets_words(frames->sets);
	frames->masked = xcalloc(words, sizeof(*frames->masked));
	for (size_t i = 0; i < 3; i++)
		frames->end_mask[i] = xcalloc(words, sizeof(*frames->masked));
	for (uint32_t i = 0; i < rules->patterns; i++) {
		const struct pattern *pattern = &rules->pattern[i];

		bit_set_put(frames->end_mask[pattern->end], i);
		frames->texts[frame_text_of(pattern->subject)].is_asked = true;
	}
	for (enum frame_text kind = 0; kind < FRAME_TEXTS; kind++)
		frames->texts[kind].pool = name_pool_new();
	page_table_init(&frames->known, sizeof(struct frame_set));
	return frames;
}

void frame_sets_free(struct frame_sets *frames)
{
	if (!frames)
		return;
	for (enum frame_text kind = 0; kind < FRAME_TEXTS; kind++) {
		name_pool_free(frames->texts[kind].pool);
		free(frames->texts[kind].set);
	}
	for (size_t i = 0; i < 3; i++)
		free(frames->end_mask[i]);
	page_table_release(&frames->known);
	free(frames->masked);
	bit_sets_free(frames->sets);
	free(frames);
}

struct bit_sets *frame_sets_sets(const struct frame_sets *frames)
{
	return frames->sets;
}

static uint32_t match_text(struct frame_sets *frames, enum frame_text kind, const char *text)
{
	const struct rules *rules = frames->rules;
	struct name_parts parts = { .name = NULL };

	if (kind == FRAME_TEXT_NAME)
		name_parts_split(&parts, text);
	memset(frames->masked, 0, bit_sets_words(frames->sets) * sizeof(*frames->masked));
	for (uint32_t i = 0; i < rules->patterns; i++) {
		const struct pattern *pattern = &rules->pattern[i];
		const char *subject = pattern->subject == PATTERN_NAME ? parts.name : text;

		if (frame_text_of(pattern->subject) == kind && pattern_matches(pattern, subject))
			bit_set_put(frames->masked, i);
	}
	if (kind == FRAME_TEXT_NAME)
		name_parts_release(&parts);
	return bit_sets_add(frames->sets, frames->masked);
}

uint32_t frame_sets_match(struct frame_sets *frames, enum frame_text kind, const char *text)
{
	struct text_sets *texts = &frames->texts[kind];
	const uint32_t known = name_pool_count(texts->pool);
	const uint32_t number = name_pool_add(texts->pool, text);

	if (number == texts->room) {
		texts->room = texts->room * 2 + 256;
		texts->set = xreallocarray(texts->set, texts->room, sizeof(*texts->set));
	}
	if (number == known)
		texts->set[number] = match_text(frames, kind, text);
	return texts->set[number];
}

const char *frame_text(const struct frame_name *frame, enum frame_text kind)
{
	switch (kind) {
	case FRAME_TEXT_FILE:
		return *frame->line.file ? frame->line.file : NULL;
	case FRAME_TEXT_MODULE:
		return frame->module ? frame->module->path : NULL;
	case FRAME_TEXT_NAME:
	case FRAME_TEXTS:
		break;
	}
	return frame->function;
}

/* All patterns that match a frame, whatever end they look at. */
static uint32_t find_frame_set(struct frame_sets *frames, const struct frame_name *frame)
{
	uint32_t set = 0;

	for (enum frame_text kind = 0; kind < FRAME_TEXTS; kind++) {
		const char *text = frame_text(frame, kind);

		if (frames->texts[kind].is_asked && text)
			set = bit_sets_union(frames->sets, set,
					     frame_sets_match(frames, kind, text));
	}
	return set;
}

/* Those of a set that look at one end. */
static uint32_t mask_set(struct frame_sets *frames, uint32_t set, enum pattern_end end)
{
	const uint64_t *words = bit_sets_get(frames->sets, set);

	for (size_t i = 0; i < bit_sets_words(frames->sets); i++)
		frames->masked[i] = words[i] & frames->end_mask[end][i];
	return bit_sets_add(frames->sets, frames->masked);
}

static void fill_set(struct frame_sets *frames, const struct frame_name *frame,
		     struct frame_set *to)
{
	uint32_t set = find_frame_set(frames, frame);

	to->is_known = true;
	to->leaf = mask_set(frames, set, PATTERN_LEAF);
	for (;;) {
		to->anywhere = bit_sets_union(frames->sets, to->anywhere,
					      mask_set(frames, set, PATTERN_ANYWHERE));
		if (!frame->outer)
			break;
		frame = frame->outer;
		set = find_frame_set(frames, frame);
	}
	to->root = mask_set(frames, set, PATTERN_ROOT);
}

const struct frame_set *frame_sets_get(struct frame_sets *frames, uint32_t id)
{
	const struct frame_name *frame = frame_names_get(frames->names, id);
	struct frame_set *set = page_table_make(&frames->known, frame->number);

	if (!set->is_known)
		fill_set(frames, frame, set);
	return set;
}

bool frame_sets_matches(struct frame_sets *frames, uint32_t pattern, const struct frame_name *frame)
{
	return bit_set_has(bit_sets_get(frames->sets, find_frame_set(frames, frame)), pattern);
}
