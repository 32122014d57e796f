/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks. Each returns what the real function returns, and errno as that left it: nothing of
 * ours touches errno (sys/syscall.h). A free is stamped before the real call, an allocation after
 * it, a realloc both; all are written after it, so that a process killed inside a call shows the
 * state before it.
 *
 * Rules of this room: docs/preload-rules.md.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/early.h"
#include "preload/guard.h"
#include "preload/hooks.h"
#include "preload/life.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/residency.h"
#include "preload/sys/stack.h"
#include "preload/visible.h"

#define GLIBC_IS_MMAPPED 2 /* in the word before a block: its size, and three flags */

/* n * m, or SIZE_MAX when that is more. */
static size_t product(size_t n, size_t m)
{
	size_t bytes;

	return __builtin_mul_overflow(n, m, &bytes) ? SIZE_MAX : bytes;
}

__attribute__((noinline)) void *hooks_failed(struct stream *s, const uint64_t *fp, enum xt_fn fn,
					     size_t size)
{
	struct guard g = { s };

	hooks_wrote(&g, fp, XT_OP_FAILED, fn, size, NULL);
	return NULL;
}

__attribute__((noinline)) void *hooks_wrote_carefully(struct stream *s, const uint64_t *fp,
						      enum xt_op op, size_t size, void *p,
						      uint64_t stamp)
{
	s->stamp_in_hand = stamp;
	stream_write_alloc_carefully(s, op, size, (uint64_t)p, hooks_measure(size, p), fp);
	stream_leave(s);
	return p;
}

__attribute__((noinline)) void *hooks_wrote_between(struct stream *s, const uint64_t *fp,
						    enum xt_op op, size_t size, void *p,
						    uint64_t stamp)
{
	if (stream_came_between(s))
		return hooks_wrote_carefully(s, fp, op, size, p, stamp);
	stream_leave(s);
	return p;
}

/* The stamp is read first: it waits for what came before, and the rest need not. */
__attribute__((noinline)) void *hooks_wrote_stamped(struct stream *s, const uint64_t *fp,
						    enum xt_op op, size_t size, void *p)
{
	/* a frame of its own, so that fp[0], which the hook has given up, stays what it was */
	__asm__ volatile("" : : "r"(HOOK_FRAME));
	return hooks_wrote_short(s, fp, op, size, p, stream_stamp(s));
}

static __attribute__((noinline)) void *malloc_slowly(size_t size, const uint64_t *fp)
{
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(XT_OP_MALLOC, XT_FN_MALLOC, size, 16, fp);
	p = real.malloc(size);
	if (way == GUARD_RECORD)
		hooks_wrote(&g, fp, XT_OP_MALLOC, XT_FN_MALLOC, size, p);
	return p;
}

HOOK void *malloc(size_t size)
{
	struct stream *s = guard_enter_plain(HOOK_FRAME);
	void *p;

	if (__builtin_expect(!s, 0))
		return malloc_slowly(size, HOOK_FRAME);
	p = real.malloc(size);
	return hooks_wrote_plain(s, HOOK_FRAME, XT_OP_MALLOC, XT_FN_MALLOC, size, p);
}

static __attribute__((noinline)) void *calloc_slowly(size_t n, size_t size, const uint64_t *fp)
{
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(XT_OP_CALLOC, XT_FN_CALLOC, product(n, size), 16, fp);
	p = real.calloc(n, size);
	if (way == GUARD_RECORD)
		hooks_wrote(&g, fp, XT_OP_CALLOC, XT_FN_CALLOC, product(n, size), p);
	return p;
}

HOOK void *calloc(size_t n, size_t size)
{
	struct stream *s = guard_enter_plain(HOOK_FRAME);
	void *p;

	if (__builtin_expect(!s, 0))
		return calloc_slowly(n, size, HOOK_FRAME);
	p = real.calloc(n, size);
#if XALLOC_FAULT == 12
	size = 1;
#endif
	return hooks_wrote_plain(s, HOOK_FRAME, XT_OP_CALLOC, XT_FN_CALLOC, product(n, size), p);
}

static __attribute__((noinline)) void free_slowly(void *p, const uint64_t *fp)
{
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	uint64_t stamp = 0;

	if (way == GUARD_EARLY) {
		early_free(p);
		return;
	}
	if (way == GUARD_RECORD && stream_needs_stamp(g.stream, 0))
		stamp = stream_stamp(g.stream);
	if (!early_owns(p)) {
		real.free(p);
	} else if (early_is_ours(p)) { /* it was no event when it was allocated */
		if (way == GUARD_RECORD)
			stream_leave_unwritten(g.stream);
		return;
	}
	if (way == GUARD_RECORD)
		hooks_freed(&g, p, stamp);
}

/* Where glibc has a block that is a mapping of its own: behind 16 bytes of it; others are there
 * rarely. */
static inline int may_be_mapping(const void *p)
{
	return ((uintptr_t)p & 4095) == 16;
}

/* Its pages go at once: it may be the highest now. */
static __attribute__((noinline)) void before_unmapping(struct stream *s, const void *p)
{
	size_t head;

	if (!real.is_glibc) /* what is before the block may not be readable */
		return;
	head = ((const size_t *)p)[-1]; /* in the same page */
	if (head & GLIBC_IS_MMAPPED && residency_may_fall(head & ~(size_t)7))
		residency_look_before(s);
}

static __attribute__((noinline)) void freed_carefully(struct stream *s, void *p, uint64_t stamp)
{
	stream_write_free_carefully(s, (uint64_t)p, stamp);
	stream_leave(s);
}

static __attribute__((noinline)) void freed_between(struct stream *s, void *p, uint64_t stamp)
{
	if (stream_came_between(s))
		stream_write_free_carefully(s, (uint64_t)p, stamp);
	stream_leave(s);
}

/* stamp 0: none was due. */
SHORT_INLINE void freed_plain(struct stream *s, void *p, uint64_t stamp)
{
	stream_writes(s);
	if (__builtin_expect(!stream_short_free(s, (uint64_t)p, stamp), 0)) {
		freed_carefully(s, p, stamp);
		return;
	}
	if (stream_is_between(s)) {
		freed_between(s, p, stamp);
		return;
	}
	stream_leave(s);
}

static __attribute__((noinline)) void free_stamped(struct stream *s, void *p)
{
	const uint64_t stamp = stream_stamp(s);

	real.free(p);
	freed_plain(s, p, stamp);
}

HOOK void free(void *p)
{
	struct stream *s;

	if (!p)
		return;
	s = guard_enter_plain(HOOK_FRAME);
	if (__builtin_expect(!s || early_owns(p), 0)) {
		if (s)
			stream_leave_unwritten(s);
		free_slowly(p, HOOK_FRAME);
		return;
	}
	if (__builtin_expect(may_be_mapping(p), 0))
		before_unmapping(s, p);
	if (stream_needs_stamp(s, 0)) {
		free_stamped(s, p);
		return;
	}
	real.free(p);
	freed_plain(s, p, 0);
}

/* The allocator never had p: a new block with what fits of it. */
static void *move_early(void *p, size_t size)
{
	void *fresh = size ? real.malloc(size) : NULL; /* realloc(p, 0) frees */

	if (fresh)
		memcpy(fresh, p, size < early_size(p) ? size : early_size(p));
	return fresh;
}

static inline void *resize(void *p, size_t size, enum xt_fn fn, const uint64_t *fp)
{
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	struct stream_event e;
	void *fresh;

	if (__builtin_expect(way == GUARD_EARLY, 0))
		return early_realloc(fn, p, size, fp);
	if (__builtin_expect(way != GUARD_RECORD, 0))
		return p && early_owns(p) ? move_early(p, size) : real.realloc(p, size);
	if (!p || early_is_ours(p)) {
		fresh = p ? move_early(p, size) : real.realloc(p, size);
		hooks_wrote(&g, fp, XT_OP_REALLOC_NULL, fn, size, fresh);
		return fresh;
	}
	e = (struct stream_event){
		.op = XT_OP_REALLOC, .fn = fn, .size = size, .old_addr = (uint64_t)p
	};
	if (stream_needs_stamp(g.stream, size))
		e.stamp0 = stream_stamp(g.stream);
	fresh = early_owns(p) ? move_early(p, size) : real.realloc(p, size);
	stream_writes(g.stream);
	if (fresh) {
		e.addr = (uint64_t)fresh;
		e.usable = hooks_measure(size, fresh);
		/* A handler that interrupted the call stamped its events: ours ends after them, and
		 * began after what was known before. */
		if (!e.stamp0 && stream_needs_stamp(g.stream, 0))
			e.stamp0 = g.stream->last_stamp;
		if (e.stamp0)
			e.stamp1 = stream_stamp(g.stream);
	} else {
		e.op = size ? XT_OP_FAILED : XT_OP_FREE;
		e.addr = size ? 0 : (uint64_t)p;
		e.old_addr = 0;
	}
	stream_write(g.stream, &e, fp);
	stream_leave(g.stream);
	return fresh;
}

HOOK void *realloc(void *p, size_t size)
{
	return resize(p, size, XT_FN_REALLOC, HOOK_FRAME);
}

/* An allocator before us has the blocks, and its realloc is the one that libc's reallocarray calls;
 * what stands behind us may be another's. */
static int is_shadowed(void)
{
	if (!real.ready && tls_is_ready())
		real_resolve();
	return real.shadow != NULL;
}

/* glibc's would call realloc through us: the product is made here, and the call counted once. */
HOOK void *reallocarray(void *p, size_t n, size_t size)
{
	const uint64_t *fp = HOOK_FRAME;
	struct guard g;
	size_t bytes;

	if (is_shadowed())
		return real.reallocarray(p, n, size);
	if (!__builtin_mul_overflow(n, size, &bytes))
		return resize(p, bytes, XT_FN_REALLOCARRAY, fp);
	switch (guard_enter(&g, fp)) {
	case GUARD_RECORD:
		hooks_wrote(&g, fp, XT_OP_FAILED, XT_FN_REALLOCARRAY, SIZE_MAX, NULL);
		break;
	case GUARD_EARLY:
		return NULL;
	case GUARD_PASS:
		break;
	}
	errno = ENOMEM;
	return NULL;
}

HOOK int posix_memalign(void **out, size_t align, size_t size)
{
	const uint64_t *fp = HOOK_FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	int result;

	if (way == GUARD_EARLY) {
		*out = early_alloc(XT_OP_ALIGNED, XT_FN_POSIX_MEMALIGN, size, align, fp);
		return *out ? 0 : ENOMEM;
	}
	result = real.posix_memalign(out, align, size);
	if (way == GUARD_RECORD)
		hooks_wrote(&g, fp, XT_OP_ALIGNED, XT_FN_POSIX_MEMALIGN, size,
			    result == 0 ? *out : NULL);
	return result;
}

static inline void *aligned(void *(*function)(size_t, size_t), enum xt_fn fn, size_t align,
			    size_t size, const uint64_t *fp)
{
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(XT_OP_ALIGNED, fn, size, align, fp);
	p = function(align, size);
	if (way == GUARD_RECORD)
		hooks_wrote(&g, fp, XT_OP_ALIGNED, fn, size, p);
	return p;
}

static void *real_aligned_alloc(size_t align, size_t size)
{
	return real.aligned_alloc(align, size);
}

static void *real_memalign(size_t align, size_t size)
{
	return real.memalign(align, size);
}

static void *real_valloc(size_t page, size_t size)
{
	(void)page;
	return real.valloc(size);
}

HOOK void *aligned_alloc(size_t align, size_t size)
{
	return aligned(real_aligned_alloc, XT_FN_ALIGNED_ALLOC, align, size, HOOK_FRAME);
}

HOOK void *memalign(size_t align, size_t size)
{
	return aligned(real_memalign, XT_FN_MEMALIGN, align, size, HOOK_FRAME);
}

HOOK void *valloc(size_t size)
{
	return aligned(real_valloc, XT_FN_VALLOC, 4096, size, HOOK_FRAME);
}

HOOK void *pvalloc(size_t size)
{
	const uint64_t *fp = HOOK_FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(XT_OP_ALIGNED, XT_FN_PVALLOC, size, 4096, fp);
	p = real.pvalloc(size);
	if (way == GUARD_RECORD)
		hooks_wrote(&g, fp, XT_OP_ALIGNED, XT_FN_PVALLOC, size, p);
	return p;
}

HOOK size_t malloc_usable_size(void *p)
{
	if (!p)
		return 0;
	if (early_owns(p))
		return early_size(p);
	if (!real.ready)
		real_resolve();
	return real.malloc_usable_size(p);
}

static void check_closing(void *arg, int is_private)
{
	(void)is_private;
	visible_check_closing(arg);
}

static void check_modules(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	modules_check();
}

HOOK int dlclose(void *handle)
{
	uint32_t process;
	int result;

	if (!real.ready)
		real_resolve();
	if (life_is_recording())
		stack_run(check_closing, handle);
	process = unwind_close_begins();
	result = real.dlclose(handle);
	__atomic_fetch_add(&real.closings, 1, __ATOMIC_RELEASE);
	if (life_is_recording())
		stack_run(check_modules, NULL);
	unwind_close_ends(process);
	return result;
}
