/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all hooks share: how a finished call is written. The guard is the caller's, entered with
 * GUARD_RECORD, and left here.
 */
#ifndef XALLOC_HOOKS_H
#define XALLOC_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/guard.h"
#include "preload/real.h"

#define HOOK __attribute__((visibility("default"), noinline, used))
#define HOOK_FRAME ((const uint64_t *)__builtin_frame_address(0))

/* glibc's rule: what it says of nearly every block need not be written. */
static inline void hooks_measure(struct stream_event *e)
{
	uint64_t usable, expected = ((e->size + 8 + 15) & ~15ull) - 8;

	if (!real.is_glibc)
		return;
	usable = real.malloc_usable_size((void *)(uintptr_t)e->addr);
	if (__builtin_expect(usable != (expected < 24 ? 24 : expected), 0))
		e->usable = usable;
}

/* Writes a call that asked for `size` bytes and got `p`. */
static inline void hooks_wrote(struct guard *g, const uint64_t *fp, enum xt_op op, enum xt_fn fn,
			       size_t size, void *p)
{
	struct stream_event e = {
		.op = p ? op : XT_OP_FAILED, .fn = fn, .size = size, .addr = (uint64_t)p
	};

	tls.guard |= GUARD_WRITING;
	if (stream_needs_stamp(g->stream, size))
		e.stamp0 = clock_stamp();
	if (__builtin_expect(p != NULL, 1))
		hooks_measure(&e);
	stream_write(g->stream, &e, fp);
	guard_leave(g);
}

static inline void hooks_freed(struct guard *g, void *p, uint64_t stamp)
{
	const struct stream_event e = { .op = XT_OP_FREE, .addr = (uint64_t)p, .stamp0 = stamp };

	tls.guard |= GUARD_WRITING;
	stream_write(g->stream, &e, NULL);
	guard_leave(g);
}

#endif
