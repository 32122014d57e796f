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
#include "preload/life.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/sys/stack.h"

#define EXPORT __attribute__((visibility("default"), noinline))
#define FRAME ((const uint64_t *)__builtin_frame_address(0))
#define CALLER(fp) ((fp)[1])

/* glibc's rule: what it says of nearly every block need not be written. */
static inline void measure(struct stream_event *e)
{
	uint64_t usable, expected = ((e->size + 8 + 15) & ~15ull) - 8;

	if (!real.is_glibc)
		return;
	usable = real.malloc_usable_size((void *)(uintptr_t)e->addr);
	if (__builtin_expect(usable != (expected < 24 ? 24 : expected), 0))
		e->usable = usable;
}

/* Writes a call that asked for `size` bytes and got `p`. */
static inline void wrote(struct guard *g, const uint64_t *fp, enum xt_op op, enum xt_fn fn,
			 size_t size, void *p)
{
	struct stream_event e = {
		.op = p ? op : XT_OP_FAILED, .fn = fn, .size = size, .addr = (uint64_t)p
	};

	tls.guard |= GUARD_WRITING;
	if (stream_needs_stamp(g->stream, size))
		e.stamp0 = clock_stamp();
	if (__builtin_expect(p != NULL, 1))
		measure(&e);
	stream_write(g->stream, &e, fp);
	guard_leave(g);
}

static inline void freed(struct guard *g, void *p, uint64_t stamp)
{
	const struct stream_event e = { .op = XT_OP_FREE, .addr = (uint64_t)p, .stamp0 = stamp };

	tls.guard |= GUARD_WRITING;
	stream_write(g->stream, &e, NULL);
	guard_leave(g);
}

/* n * m, or SIZE_MAX when that is more. */
static size_t product(size_t n, size_t m)
{
	size_t bytes;

	return __builtin_mul_overflow(n, m, &bytes) ? SIZE_MAX : bytes;
}

EXPORT void *malloc(size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (__builtin_expect(way == GUARD_EARLY, 0))
		return early_alloc(size, 16, CALLER(fp));
	p = real.malloc(size);
	if (__builtin_expect(way == GUARD_RECORD, 1))
		wrote(&g, fp, XT_OP_MALLOC, XT_FN_MALLOC, size, p);
	return p;
}

EXPORT void *calloc(size_t n, size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(product(n, size), 16, CALLER(fp));
	p = real.calloc(n, size);
	if (way == GUARD_RECORD)
		wrote(&g, fp, XT_OP_CALLOC, XT_FN_CALLOC, product(n, size), p);
	return p;
}

EXPORT void free(void *p)
{
	struct guard g;
	enum guard_way way;
	uint64_t stamp = 0;

	if (!p)
		return;
	way = guard_enter(&g, FRAME);
	if (__builtin_expect(way == GUARD_EARLY, 0))
		return;
	if (__builtin_expect(way == GUARD_RECORD, 1) && stream_needs_stamp(g.stream, 0))
		stamp = clock_stamp();
	if (__builtin_expect(!early_owns(p), 1))
		real.free(p);
	if (__builtin_expect(way == GUARD_RECORD, 1))
		freed(&g, p, stamp);
}

/* The allocator never had p: a new block with what fits of it. */
static void *move_early(void *p, size_t size)
{
	void *fresh = real.malloc(size);

	if (fresh)
		memcpy(fresh, p, size < early_size(p) ? size : early_size(p));
	return fresh;
}

static __attribute__((noinline)) void *early_realloc(void *p, size_t size, uint64_t pc)
{
	uint8_t *fresh = early_alloc(size, 16, pc);
	size_t i;

	for (i = 0; fresh && p && i < size && i < early_size(p); i++)
		fresh[i] = ((const uint8_t *)p)[i];
	return fresh;
}

static inline void *resize(void *p, size_t size, enum xt_fn fn, const uint64_t *fp)
{
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	struct stream_event e;
	void *fresh;

	if (__builtin_expect(way == GUARD_EARLY, 0))
		return early_realloc(p, size, CALLER(fp));
	if (__builtin_expect(way != GUARD_RECORD, 0))
		return p && early_owns(p) ? move_early(p, size) : real.realloc(p, size);
	if (!p) {
		fresh = real.realloc(p, size);
		wrote(&g, fp, XT_OP_REALLOC_NULL, fn, size, fresh);
		return fresh;
	}
	e = (struct stream_event){
		.op = XT_OP_REALLOC, .fn = fn, .size = size, .old_addr = (uint64_t)p
	};
	if (stream_needs_stamp(g.stream, size))
		e.stamp0 = clock_stamp();
	fresh = early_owns(p) ? move_early(p, size) : real.realloc(p, size);
	tls.guard |= GUARD_WRITING;
	if (fresh) {
		e.addr = (uint64_t)fresh;
		measure(&e);
		if (e.stamp0)
			e.stamp1 = clock_stamp();
	} else {
		e.op = size ? XT_OP_FAILED : XT_OP_FREE;
		e.addr = size ? 0 : (uint64_t)p;
		e.old_addr = 0;
	}
	stream_write(g.stream, &e, fp);
	guard_leave(&g);
	return fresh;
}

EXPORT void *realloc(void *p, size_t size)
{
	return resize(p, size, XT_FN_REALLOC, FRAME);
}

/* glibc's would call realloc through us: the product is made here, and the call counted once. */
EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes))
		return resize(p, bytes, XT_FN_REALLOCARRAY, fp);
	switch (guard_enter(&g, fp)) {
	case GUARD_RECORD:
		wrote(&g, fp, XT_OP_FAILED, XT_FN_REALLOCARRAY, SIZE_MAX, NULL);
		break;
	case GUARD_EARLY:
		return NULL;
	case GUARD_PASS:
		break;
	}
	errno = ENOMEM;
	return NULL;
}

EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	int result;

	if (way == GUARD_EARLY) {
		*out = early_alloc(size, align, CALLER(fp));
		return *out ? 0 : ENOMEM;
	}
	result = real.posix_memalign(out, align, size);
	if (way == GUARD_RECORD)
		wrote(&g, fp, XT_OP_ALIGNED, XT_FN_POSIX_MEMALIGN, size, result == 0 ? *out : NULL);
	return result;
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(size, align, CALLER(fp));
	p = real.aligned_alloc(align, size);
	if (way == GUARD_RECORD)
		wrote(&g, fp, XT_OP_ALIGNED, XT_FN_ALIGNED_ALLOC, size, p);
	return p;
}

EXPORT void *memalign(size_t align, size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(size, align, CALLER(fp));
	p = real.memalign(align, size);
	if (way == GUARD_RECORD)
		wrote(&g, fp, XT_OP_ALIGNED, XT_FN_MEMALIGN, size, p);
	return p;
}

EXPORT void *valloc(size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(size, 4096, CALLER(fp));
	p = real.valloc(size);
	if (way == GUARD_RECORD)
		wrote(&g, fp, XT_OP_ALIGNED, XT_FN_VALLOC, size, p);
	return p;
}

EXPORT void *pvalloc(size_t size)
{
	const uint64_t *fp = FRAME;
	struct guard g;
	enum guard_way way = guard_enter(&g, fp);
	void *p;

	if (way == GUARD_EARLY)
		return early_alloc(product(size / 4096 + (size % 4096 != 0), 4096), 4096,
				   CALLER(fp));
	p = real.pvalloc(size);
	if (way == GUARD_RECORD)
		wrote(&g, fp, XT_OP_ALIGNED, XT_FN_PVALLOC, size, p);
	return p;
}

EXPORT size_t malloc_usable_size(void *p)
{
	if (!p)
		return 0;
	if (early_owns(p))
		return early_size(p);
	if (!real.ready)
		real_resolve();
	return real.malloc_usable_size(p);
}

static void check_modules(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	modules_check();
}

EXPORT int dlclose(void *handle)
{
	int result;

	if (!real.ready)
		real_resolve();
	result = real.dlclose(handle);
	if (life_word && *life_word == LIFE_RECORDING)
		stack_run(check_modules, NULL);
	return result;
}

EXPORT void _exit(int status)
{
	life_finish(status & 0xFF);
	if (!real.ready)
		real_resolve();
	for (;;)
		real._exit(status);
}

EXPORT void _Exit(int status)
{
	_exit(status);
}

EXPORT void quick_exit(int status)
{
	life_finish(status & 0xFF);
	if (!real.ready)
		real_resolve();
	for (;;)
		real.quick_exit(status);
}
