/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/stack_text.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/short_name.h"

/* A stack is shown to so many lines from its inner end, then so many at its outer end. */
#define INNER_LINES 40
#define OUTER_LINES 8

/* One line of a stack: frames of the same name that follow each other are one line, for which the
 * innermost stands. NULL behind the last. */
static const struct frame_name *next_line(struct shown_walk *walk, uint64_t *times)
{
	const struct frame_name *frame = shown_walk_next(walk), *next;
	struct shown_walk ahead = *walk;

	for (*times = 1; frame && (next = shown_walk_next(&ahead)); ++*times) {
		if (next->name != frame->name)
			break;
		*walk = ahead;
	}
	return frame;
}

static void put_function(const struct stack_text *t, const struct frame_name *frame)
{
	char *name = NULL;

	if (frame->has_symbol && !t->style->has_full_names)
		name = short_name_build(frame->function);
	text_put_clean(t->out, name ? name : frame->function);
	free(name);
}

/* "  walker.c:42": the whole path is JSON's. */
static void put_source(const struct stack_text *t, const struct source_line source)
{
	const char *slash = strrchr(source.file, '/');

	if (!source.line)
		return;
	fputs("  ", t->out);
	text_put_clean(t->out, slash ? slash + 1 : source.file);
	fprintf(t->out, ":%" PRIu32, source.line);
}

static void put_note(const struct stack_text *t, const struct frame_name *frame, bool is_leaf,
		     bool is_root)
{
	char *note = t->note ? t->note(t->owner, frame, is_leaf, is_root) : NULL;

	if (note) {
		fputs("  <- ", t->out);
		text_put_clean(t->out, note);
	}
	free(note);
}

void stack_text_put(const struct stack_text *t, struct shown_walk start)
{
	const char *dim = t->style->has_color ? "\033[2m" : "";
	const char *plain = t->style->has_color ? "\033[0m" : "";
	struct shown_walk walk = start;
	const struct frame_name *frame;
	uint64_t lines = 0, hidden, line = 0, times;

	while (next_line(&walk, &times))
		lines++;
	hidden = lines > INNER_LINES + OUTER_LINES ? lines - INNER_LINES - OUTER_LINES : 0;
	if (!lines)
		fputs("      [no stack]\n", t->out);
	for (walk = start; (frame = next_line(&walk, &times)); line++) {
		if (hidden && line == INNER_LINES)
			fprintf(t->out, "      %s... %s%s\n", dim,
				number_of(hidden, "more line").text, plain);
		if (line >= INNER_LINES && line < INNER_LINES + hidden)
			continue;
		fputs("      ", t->out);
		put_function(t, frame);
		put_source(t, frame->line);
		if (frame->outer) {
			fprintf(t->out, "  %sinlined%s", dim, plain);
		} else if (frame->has_symbol) {
			fprintf(t->out, "  %sin ", dim);
			text_put_clean(t->out, module_base_name(frame->module));
			fputs(plain, t->out);
		}
		if (times > 1)
			fprintf(t->out, "  %s(%s)%s", dim, number_of(times, "time").text, plain);
		put_note(t, frame, !line, line + 1 == lines);
		putc('\n', t->out);
	}
}
