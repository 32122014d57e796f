/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/guard.h"

#include <stddef.h>
#include <string.h>

#include "preload/early.h"
#include "preload/store/file.h"

/* Streams of one thread. */
#define STREAMS_MOST 1000u

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

/* The thread's first. That of all begins with what was served before there was any. */
static struct stream *first_stream(const uint64_t *fp)
{
	static int early_written;
	uint32_t missed;
	struct stream *s = stream_acquire(fp);

	if (s && !early_written) {
		early_written = 1;
		stream_writes(s);
		for (missed = early_each(write_early, s); missed; missed--)
			file_count_lost();
		s->guard = (uintptr_t)fp;
	}
	return s;
}

void guard_calls_out(int begins)
{
	if (begins == (int)tls.is_out)
		return;
	if (begins)
		tls.aside = tls.stream;
	tls.stream = begins ? NULL : tls.aside;
	tls.is_out = (uint32_t)begins;
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

static uintptr_t frame_of(const struct stream *s)
{
	return s->guard & ~STREAM_FLAGS;
}

/* unwind_find_hook: does one of our streams belong to a hook with this frame? */
static int is_hook(void *ring, uint64_t frame)
{
	const struct stream *s = ring;

	do
		if (frame_of(s) == frame)
			return 1;
	while ((s = s->next) != ring);
	return 0;
}

/*
 * Has the hook that took s with this guard certainly been left, by a longjmp? A wrong yes would
 * have two hooks write to one stream, a wrong no costs a stream. So no walk of the stack tells: it
 * misses a hook of a context that is suspended, and one below a frame with wrong unwind
 * information. But a frame's place and what it returns to are its own as long as it lives: it is
 * over when a later hook stands there, be it the one at fp or another that was left (`later`), or
 * when the words are others than when s was seen first. They are read where they are certainly
 * there.
 */
static int is_left(struct stream *s, uintptr_t guard, const uint64_t *fp, uintptr_t later)
{
	const uintptr_t frame = guard & ~STREAM_FLAGS;
	const uint64_t *word = (const uint64_t *)frame;

	if (guard == STREAM_TAKEN)
		return 0;
	if (frame == (uintptr_t)fp)
		return 1;
	if (guard & STREAM_SEEN)
		return frame == later ||
		       (s->has_words && (word[0] != s->word[0] || word[1] != s->word[1]));
	s->has_words = 0;
	if (stream_change_guard(s, guard, guard | STREAM_SEEN) &&
	    unwind_is_own_stack(&s->unwind, frame) && unwind_is_own_stack(&s->unwind, frame + 8)) {
		memcpy(s->word, word, sizeof(s->word));
		s->has_words = 1;
	}
	return 0;
}

/*
 * One of the thread's streams that nobody has, or a new one. Beyond the most the one that has been
 * silent for longest is taken from its hook: that many are left, not suspended.
 */
static struct stream *another_stream(const uint64_t *fp)
{
	struct stream *const first = tls.stream, *s = first, *found = NULL, *oldest = first;
	const uintptr_t later = first->guard & STREAM_SEEN ? 0 : frame_of(first);
	uint32_t count = 0;

	do {
		const uintptr_t guard = s->guard;

		if (guard != STREAM_FREE && is_left(s, guard, fp, later) &&
		    stream_change_guard(s, guard, (uintptr_t)fp)) {
			stream_left_behind(s, guard);
			stream_leave(s);
		}
		if (!found && stream_take(s, fp))
			found = s;
		if (s->last_stamp < oldest->last_stamp)
			oldest = s;
		count++;
	} while ((s = s->next) != first);
	if (!found && count >= STREAMS_MOST) {
		found = oldest;
		stream_left_behind(found, found->guard);
		found->guard = (uintptr_t)fp;
	}
	if (found)
		tls.stream = found;
	else
		found = stream_acquire(fp);
	/* Only now, and of free ones too: a suspended hook may be about to take one. */
	s = first;
	do
		if (s != found)
			s->between |= STREAM_SWITCHED;
	while ((s = s->next) != first);
	stream_disturb(first);
	return found;
}

/*
 * There is no stream, or a hook has it: one that was left by longjmp, one that a signal handler
 * interrupted, in whose middle we may be, or one that called the real allocator, which calls itself
 * through us.
 */
enum guard_way guard_enter_busy(struct guard *g, const uint64_t *fp)
{
	if (tls.is_out)
		return GUARD_EARLY;
	if (tls.stream) {
		/* one call, counted where it began */
		if (unwind_find_hook(&tls.stream->unwind, fp, is_hook, tls.stream) == UNWIND_CALLED)
			return GUARD_PASS;
		g->stream = another_stream(fp);
	} else {
		g->stream = first_stream(fp);
	}
	if (!g->stream) {
		file_count_lost();
		return GUARD_PASS;
	}
	return GUARD_RECORD;
}

int guard_enter_beside(struct guard *g, const uint64_t *fp)
{
	const enum guard_way way = guard_enter(g, fp);

	if (way != GUARD_PASS || !life_is_recording() || !tls.stream)
		return way == GUARD_RECORD;
	g->stream = another_stream(fp);
	return g->stream != NULL;
}

void guard_leave_beside(const struct guard *g, struct stream *before)
{
	if (before && before != g->stream && stream_is_taken(before)) {
		g->stream->between |= STREAM_SWITCHED; /* a hook may be about to take it */
		tls.stream = before;
		stream_disturb(before);
	}
	stream_leave(g->stream);
}

void guard_count_left(const uint64_t *fp)
{
	struct stream *s = tls.stream;

	/* Others are interrupted, and would have been in the trace as they are after a kill. */
	if (!s || unwind_find_hook(&s->unwind, fp, is_hook, s) != UNWIND_GONE)
		return;
	do
		if (s->guard & STREAM_WRITING)
			file_count_lost();
	while ((s = s->next) != tls.stream);
}
