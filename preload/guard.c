/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/guard.h"

#include <stddef.h>

#include "preload/early.h"
#include "preload/store/file.h"

__thread struct tls tls __attribute__((tls_model("initial-exec")));

static void write_early(void *arg, const struct early_note *note)
{
	struct stream *s = arg;
	const struct stream_event e = {
		.op = (uint8_t)note->op,
		.fn = (uint8_t)note->fn,
		.size = note->size,
		.addr = note->addr,
		.old_addr = note->old_addr,
		.stamp0 = clock_stamp(),
		.stamp1 = note->op == XT_OP_REALLOC ? clock_stamp() : 0,
		.copy = &note->stack,
	};

	stream_write(s, &e, NULL);
}

/* With the guard held. The first stream of all begins with what was served before there was any. */
struct stream *guard_first_stream(void)
{
	static int early_written;
	uint32_t missed;
	struct stream *s = stream_acquire(NULL);

	if (!s) {
		file_count_lost();
		return NULL;
	}
	tls.stream = s;
	if (!early_written) {
		early_written = 1;
		tls.guard |= GUARD_WRITING;
		for (missed = early_each(write_early, s); missed; missed--)
			file_count_lost();
		tls.guard &= ~GUARD_WRITING;
	}
	return s;
}

void guard_calls_out(int begins)
{
	if (begins)
		tls.guard |= GUARD_OUT;
	else
		tls.guard &= ~GUARD_OUT;
}

/* Each event with care: the short ways know of no pause. */
static enum guard_way enter_paused(struct guard *g, const uint64_t *fp)
{
	const enum guard_way way = guard_enter_recording(g, fp);

	if (way == GUARD_RECORD)
		g->stream->plain_until = g->stream->plain_free_until = NULL;
	return way;
}

enum guard_way guard_enter_slow(struct guard *g, const uint64_t *fp)
{
	if (!tls_is_ready())
		return GUARD_EARLY;
	if (life_word && *life_word == LIFE_STOPPED) {
		file_count_lost();
		return GUARD_PASS;
	}
	if (life_word && *life_word == LIFE_OFF)
		return GUARD_PASS;
	if (life_word && *life_word == LIFE_PAUSED)
		return enter_paused(g, fp);
	return life_begin() ? guard_enter(g, fp) : GUARD_PASS;
}

/* The streams of this thread whose hooks were left behind do not know what they wrote last. */
static void left_behind(void)
{
	struct stream *s;

	for (s = tls.stream; s; s = s->nested) {
		s->dirty = 1;
		s->disturbed = STREAM_STAMP_EVERY;
		s->plain_until = s->plain_free_until = NULL;
	}
	tls.level = 0;
	tls.guard = 0;
}

enum guard_way guard_enter_busy(struct guard *g, const uint64_t *fp)
{
	uintptr_t frame = g->outer & ~(GUARD_WRITING | GUARD_OUT | GUARD_FORKED);
	struct stream *s = tls.stream;
	enum unwind_place place;
	uint32_t level;

	if (g->outer & GUARD_OUT)
		return GUARD_EARLY;
	if (!s) /* its first hook is still looking for a stream */
		return GUARD_PASS;
	place = unwind_find_hook(&s->unwind, fp, frame);
	/* A hook that was left lies deeper, an interrupted one higher; but one that may be in the
	 * middle of writing is taken for interrupted: a nested stream harms nothing. */
	if (place == UNWIND_UNKNOWN)
		place = (uintptr_t)fp >= frame && !(g->outer & GUARD_WRITING) ? UNWIND_GONE
									      : UNWIND_INTERRUPTED;
	if (place == UNWIND_GONE) {
		left_behind();
		return guard_enter(g, fp);
	}
	/* The real allocator may call itself through us: one call, counted where it began. */
	if (place == UNWIND_CALLED)
		return GUARD_PASS;
	g->level = tls.level;
	tls.guard = (uintptr_t)fp;
	for (level = 0; level <= tls.level; level++) {
		s->disturbed = STREAM_STAMP_EVERY;
		if (!s->nested)
			s->nested = stream_acquire(s);
		s = s->nested;
		if (!s) {
			file_count_lost();
			tls.guard = g->outer;
			return GUARD_PASS;
		}
	}
	tls.level++;
	g->stream = s;
	return GUARD_RECORD;
}
