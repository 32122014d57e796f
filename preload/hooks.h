/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all hooks share: how a finished call is written. The stream is the one that the caller took
 * with GUARD_RECORD, and left here.
 */
#ifndef XALLOC_HOOKS_H
#define XALLOC_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/guard.h"
#include "preload/real.h"
#include "preload/stream_short.h"

#define HOOK __attribute__((visibility("default"), noinline, used))
#define HOOK_FRAME ((const uint64_t *)__builtin_frame_address(0))

/*
 * Is the block that was asked for with `size` bytes as large as glibc's rule says? The word before
 * a block of glibc's is its size, with three bits of which the second says that it is a mapping;
 * when that agrees with the rule nobody is asked.
 */
static inline int hooks_is_by_rule(uint64_t size, const void *p)
{
	const uint64_t chunk = size <= 24 ? 32 : (size + 8 + 15) & ~15ull;

	return __builtin_expect(!real.is_glibc, 0) ||
	       __builtin_expect((((const uint64_t *)p)[-1] & ~5ull) == chunk, 1);
}

/* malloc_usable_size(p) where it is not what the rule says, as it is of nearly every block; else 0.
 */
static inline uint64_t hooks_measure(uint64_t size, void *p)
{
	uint64_t usable;

	if (hooks_is_by_rule(size, p))
		return 0;
	usable = real.malloc_usable_size(p);
	return usable == (size <= 24 ? 24 : ((size + 8 + 15) & ~15ull) - 8) ? 0 : usable;
}

/* Writes a call that asked for `size` bytes and got `p`. */
static inline void hooks_wrote(struct guard *g, const uint64_t *fp, enum xt_op op, enum xt_fn fn,
			       size_t size, void *p)
{
	stream_writes(g->stream);
	if (__builtin_expect(p && op != XT_OP_ALIGNED, 1)) {
		stream_write_alloc(g->stream, op, size, (uint64_t)p, hooks_measure(size, p), fp);
	} else {
		struct stream_event e = {
			.op = p ? op : XT_OP_FAILED, .fn = fn, .size = size, .addr = (uint64_t)p
		};

		if (stream_needs_stamp(g->stream, size))
			e.stamp0 = stream_stamp(g->stream);
		if (p)
			e.usable = hooks_measure(size, p);
		stream_write(g->stream, &e, fp);
	}
	stream_leave(g->stream);
}

/* They write, the last one only what went nowhere, leave s and return p: calls at a hook's end, so
 * that it has to keep nothing for afterwards. stamp 0: none was due. */
void *hooks_failed(struct stream *s, const uint64_t *fp, enum xt_fn fn, size_t size);
void *hooks_wrote_carefully(struct stream *s, const uint64_t *fp, enum xt_op op, size_t size,
			    void *p, uint64_t stamp);
void *hooks_wrote_between(struct stream *s, const uint64_t *fp, enum xt_op op, size_t size, void *p,
			  uint64_t stamp);

void *hooks_wrote_stamped(struct stream *s, const uint64_t *fp, enum xt_op op, size_t size,
			  void *p);

SHORT_INLINE void *hooks_wrote_short(struct stream *s, const uint64_t *fp, enum xt_op op,
				     size_t size, void *p, uint64_t stamp)
{
	if (__builtin_expect(!hooks_is_by_rule(size, p) ||
				     !stream_short_alloc(s, op, size, (uint64_t)p, fp, stamp),
			     0))
		return hooks_wrote_carefully(s, fp, op, size, p, stamp);
	if (stream_is_between(s))
		return hooks_wrote_between(s, fp, op, size, p, stamp);
	stream_leave(s);
	return p;
}

/* The same for the stream of guard_enter_plain; returns p. */
SHORT_INLINE void *hooks_wrote_plain(struct stream *s, const uint64_t *fp, enum xt_op op,
				     enum xt_fn fn, size_t size, void *p)
{
	if (__builtin_expect(!p, 0))
		return hooks_failed(s, fp, fn, size);
	stream_writes(s);
	if (stream_needs_stamp(s, 0))
		return hooks_wrote_stamped(s, fp, op, size, p);
	return hooks_wrote_short(s, fp, op, size, p, 0);
}

static inline void hooks_freed(struct guard *g, void *p, uint64_t stamp)
{
	stream_writes(g->stream);
	stream_write_free(g->stream, (uint64_t)p, stamp);
	stream_leave(g->stream);
}

#endif
