/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way into a hook: it takes one of its thread's streams, and leaves it (stream_leave) when its
 * event is written.
 */
#ifndef XALLOC_GUARD_H
#define XALLOC_GUARD_H

#include <stddef.h>
#include <stdint.h>

#include "preload/life.h"
#include "preload/stream.h"
#include "preload/tls.h"

struct guard {
	struct stream *stream; /* taken */
};

enum guard_way {
	GUARD_PASS = 0,   /* call the real function, record nothing */
	GUARD_RECORD = 1, /* and stream_leave afterwards */
	GUARD_EARLY = 2   /* early.h serves: before our relocation, or while we call out */
};

enum guard_way guard_enter_slow(struct guard *g, const uint64_t *fp);
enum guard_way guard_enter_busy(struct guard *g, const uint64_t *fp);

/*
 * The same for what is no call of the allocator's, and may come from its own code below a hook,
 * which its next call has to find at work: before, which was the thread's next stream, is so again
 * when it is taken.
 */
int guard_enter_beside(struct guard *g, const uint64_t *fp);
void guard_leave_beside(const struct guard *g, struct stream *before);

/* Foreign code runs for us (tls.h) from now on, or does no longer. */
void guard_calls_out(int begins);

/* At the process's end, by the function at fp: hooks that were left or suspended for ever, of which
 * no later hook found that out, are counted as lost where the real function had returned. */
void guard_count_left(const uint64_t *fp);

/*
 * The usual way in: a thread that has a stream which no hook has taken. NULL: use guard_enter.
 * fp is the hook's frame. Before our relocation the stream is what stream.h says, and not taken.
 */
static inline struct stream *guard_enter_plain(const uint64_t *fp)
{
	struct stream *s = tls.stream;

	if (__builtin_expect(!s || !stream_take(s, fp), 0))
		return NULL;
	if (__builtin_expect(*life_word == LIFE_RECORDING, 1))
		return s;
	stream_leave_unwritten(s);
	return NULL;
}

/* Once it is known that calls are recorded. fp is the hook's frame. */
static inline enum guard_way guard_enter_recording(struct guard *g, const uint64_t *fp)
{
	g->stream = tls.stream;
	if (__builtin_expect(!g->stream || !stream_take(g->stream, fp), 0))
		return guard_enter_busy(g, fp);
	return GUARD_RECORD;
}

static inline enum guard_way guard_enter(struct guard *g, const uint64_t *fp)
{
	if (__builtin_expect(!life_word || *life_word != LIFE_RECORDING, 0))
		return guard_enter_slow(g, fp);
	return guard_enter_recording(g, fp);
}

#endif
