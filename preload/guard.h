/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way into and out of a hook.
 */
#ifndef XALLOC_GUARD_H
#define XALLOC_GUARD_H

#include <stddef.h>
#include <stdint.h>

#include "preload/life.h"
#include "preload/stream.h"
#include "preload/tls.h"

struct guard {
	struct stream *stream;
	uintptr_t outer; /* the guard to restore */
	uint32_t level;
};

enum guard_way {
	GUARD_PASS = 0,   /* call the real function, record nothing */
	GUARD_RECORD = 1, /* and guard_leave afterwards */
	GUARD_EARLY = 2   /* early.h serves: before our relocation, or while we call out */
};

enum guard_way guard_enter_slow(struct guard *g, const uint64_t *fp);
enum guard_way guard_enter_busy(struct guard *g, const uint64_t *fp);
struct stream *guard_first_stream(void);

/* GUARD_OUT (tls.h) is set or cleared. */
void guard_calls_out(int begins);

/*
 * The usual way in: a thread that has a stream and is in no hook. NULL: use guard_enter. Before our
 * relocation `tls` lies where the thread's descriptor is, and its guard is no 0. Left by
 * guard_leave_plain.
 */
static inline struct stream *guard_enter_plain(const uint64_t *fp)
{
	struct stream *s;

	if (__builtin_expect(tls.guard != 0, 0))
		return NULL;
	s = tls.stream;
	if (__builtin_expect(!s || *life_word != LIFE_RECORDING, 0))
		return NULL;
	tls.guard = (uintptr_t)fp;
	return s;
}

static inline void guard_leave_plain(void)
{
	tls.guard = 0;
}

/* Once it is known that calls are recorded. fp is the hook's frame. */
static inline enum guard_way guard_enter_recording(struct guard *g, const uint64_t *fp)
{
	g->outer = tls.guard;
	if (__builtin_expect(g->outer != 0, 0))
		return guard_enter_busy(g, fp);
	tls.guard = (uintptr_t)fp;
	g->level = 0;
	g->stream = tls.stream;
	if (__builtin_expect(!g->stream, 0)) {
		g->stream = guard_first_stream();
		if (!g->stream) {
			tls.guard = 0;
			return GUARD_PASS;
		}
	}
	return GUARD_RECORD;
}

static inline enum guard_way guard_enter(struct guard *g, const uint64_t *fp)
{
	if (__builtin_expect(!life_word || *life_word != LIFE_RECORDING, 0))
		return guard_enter_slow(g, fp);
	return guard_enter_recording(g, fp);
}

static inline void guard_leave(const struct guard *g)
{
	tls.level = g->level;
	tls.guard = g->outer;
}

#endif
