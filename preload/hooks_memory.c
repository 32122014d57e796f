/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks on what maps memory: the program's own calls, and an allocator's that makes them through
 * its symbol table. glibc's malloc, the loader and thread creation call the kernel themselves.
 * They are records (struct xt_mapping), not events: no figure of the heap has them.
 *
 * glibc counts what the program gets by brk and sbrk as its own (life_moves_heap).
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/config.h"
#include "preload/hooks.h"
#include "preload/life.h"
#include "preload/residency.h"
#include "preload/store/file.h"
#include "preload/store/records.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/tls.h"

#define PAGE 4096ull
#ifndef MADV_DONTNEED_LOCKED /* glibc 2.36 */
#define MADV_DONTNEED_LOCKED 24
#endif

static void need_real(void)
{
	if (!real.ready)
		real_resolve();
}

/* Not in a fork child without events: a trace for a mapping alone would be one for each exec. */
static int is_recorded(void)
{
	return (life_is_recording() || (!life_word && life_begin())) && config.mmap;
}

static uint64_t stamp(void)
{
	return life_is_recording() ? clock_stamp() : 0;
}

/* Does the call come from the object that the hooks' malloc is in? */
static int is_allocators(const uint64_t *fp)
{
	struct dl_find_object caller, allocator;

	return !real.is_glibc && _dl_find_object((void *)(uintptr_t)(fp[1] - 1), &caller) == 0 &&
	       _dl_find_object((void *)real.malloc, &allocator) == 0 &&
	       caller.dlfo_link_map == allocator.dlfo_link_map;
}

struct note {
	struct xt_mapping *m;
	const uint32_t *ids;
	const struct stream *stream; /* NULL: no look at what is resident */
};

static void add(void *arg, int is_private)
{
	static const uint32_t elided = XT_ID_ELIDED;
	const struct note *note = arg;
	struct xt_mapping *m = note->m;
	const uint32_t left_out =
		m->frames > XT_MAPPING_FRAMES_MAX ? m->frames - (XT_MAPPING_FRAMES_MAX - 1) : 0;
	const struct records_piece piece[3] = { { m, sizeof(*m) },
						{ &elided, left_out ? sizeof(elided) : 0 },
						{ note->ids + left_out,
						  (m->frames - left_out) * sizeof(*note->ids) } };

	if (left_out)
		m->frames = XT_MAPPING_FRAMES_MAX;
	if (records_add(XT_RECORD_MAPPING, piece, 3) < 0)
		file_count_lost();
	/* what was mapped before may have been filled: some have allocators of their own */
	if (is_private && note->stream && residency_is_due(m->bytes))
		residency_look_beside(note->stream, m->bytes);
}

/* An allocator may give memory back in the middle of a call of ours: what that frees is live then.
 */
static __attribute__((noinline)) void look_before(const uint64_t *fp)
{
	struct guard g;

	switch (guard_enter(&g, fp)) {
	case GUARD_RECORD:
		residency_look_before(g.stream);
		stream_leave_unwritten(g.stream);
		break;
	case GUARD_PASS:
		if (tls.stream)
			residency_look_before(tls.stream);
		break;
	case GUARD_EARLY:
		break;
	}
}

/* Writes what the hook at fp did; m lacks its stack and place. */
static __attribute__((noinline)) void write_mapping(struct xt_mapping *m, const uint64_t *fp)
{
	struct note note = { m, NULL, NULL };
	struct guard g;

	m->stamp1 = clock_stamp();
	switch (guard_enter(&g, fp)) {
	case GUARD_EARLY: /* a library of ours maps what it needs */
		return;
	case GUARD_PASS:
		if (!life_is_recording() || !tls.stream)
			return;
		m->flags |= XT_MAPPINGF_ALLOCATOR; /* called from within malloc */
		m->stream = tls.stream->number;
		m->events = stream_events(tls.stream);
		stack_run(add, &note);
		return;
	case GUARD_RECORD:
		break;
	}
	if (is_allocators(fp))
		m->flags |= XT_MAPPINGF_ALLOCATOR;
	if (*life_word == LIFE_PAUSED)
		m->flags |= XT_MAPPINGF_UNTRACKED;
	else
		m->frames = stream_stack(g.stream, fp, &note.ids);
	m->stream = g.stream->number;
	m->events = stream_events(g.stream);
	note.stream = g.stream;
	stack_run(add, &note);
	stream_leave_unwritten(g.stream);
}

/* About to be given back: it may be the highest now. */
static inline void before_fall(uint64_t bytes, const uint64_t *fp)
{
	if (life_is_recording() && residency_may_fall(bytes))
		look_before(fp);
}

static uint64_t pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

static void wrote_map(void *p, size_t bytes, int protection, int flags, uint64_t stamp0,
		      const uint64_t *fp)
{
	struct xt_mapping m = { .what = XT_MAPPING_MAP,
				.start = (uint64_t)p,
				.bytes = pages(bytes),
				.stamp0 = stamp0 };

	if (!(flags & MAP_ANONYMOUS))
		m.flags |= XT_MAPPINGF_FILE;
	if (flags & MAP_SHARED) /* and MAP_SHARED_VALIDATE */
		m.flags |= XT_MAPPINGF_SHARED;
	if (protection == PROT_NONE)
		m.flags |= XT_MAPPINGF_NO_ACCESS;
	write_mapping(&m, fp);
}

/* Before our own relocation: an ifunc's resolver, or a constructor, may map something. */
static void *map_early(void *at, size_t bytes, int protection, int flags, int fd, long offset)
{
	const long result =
		sys_call6(SYS_mmap, (long)at, (long)bytes, protection, flags, fd, offset);

	return sys_is_error(result) ? MAP_FAILED : (void *)result;
}

#define MAP_BY(function)                                                            \
	do {                                                                        \
		const uint64_t *fp = HOOK_FRAME;                                    \
		uint64_t stamp0;                                                    \
		void *p;                                                            \
                                                                                    \
		if (!tls_is_ready())                                                \
			return map_early(at, bytes, protection, flags, fd, offset); \
		need_real();                                                        \
		stamp0 = stamp();                                                   \
		p = real.function(at, bytes, protection, flags, fd, offset);        \
		if (p != MAP_FAILED && is_recorded())                               \
			wrote_map(p, bytes, protection, flags, stamp0, fp);         \
		return p;                                                           \
	} while (0)

HOOK void *mmap(void *at, size_t bytes, int protection, int flags, int fd, long offset)
{
	MAP_BY(mmap);
}

HOOK void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, long offset)
{
	MAP_BY(mmap64);
}

HOOK int munmap(void *start, size_t bytes)
{
	struct xt_mapping m = { .what = XT_MAPPING_UNMAP,
				.old_start = (uint64_t)start,
				.old_bytes = pages(bytes) };
	int result;

	if (!tls_is_ready())
		return sys_call2(SYS_munmap, start, bytes) < 0 ? -1 : 0;
	need_real();
	before_fall(bytes, HOOK_FRAME);
	m.stamp0 = stamp();
	result = real.munmap(start, bytes);
	if (result == 0 && is_recorded())
		write_mapping(&m, HOOK_FRAME);
	return result;
}

HOOK void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	struct xt_mapping m = { .what = XT_MAPPING_MOVE,
				.old_start = (uint64_t)old,
				.old_bytes = pages(old_bytes),
				.bytes = pages(bytes) };
	va_list args;
	void *at = NULL, *p;

	if (flags & MREMAP_FIXED) {
		va_start(args, flags);
		at = va_arg(args, void *);
		va_end(args);
	}
	if (!tls_is_ready()) {
		const long result = sys_call5(SYS_mremap, old, old_bytes, bytes, flags, at);

		return sys_is_error(result) ? MAP_FAILED : (void *)result;
	}
	need_real();
	if (bytes < old_bytes)
		before_fall(old_bytes - bytes, HOOK_FRAME);
	m.stamp0 = stamp();
	p = real.mremap(old, old_bytes, bytes, flags, at);
	if (p == MAP_FAILED || !is_recorded())
		return p;
	m.start = (uint64_t)p;
	if (!old_bytes || flags & MREMAP_DONTUNMAP) /* the old range stays */
		m.old_bytes = 0;
	write_mapping(&m, HOOK_FRAME);
	return p;
}

/* No mapping changes; what it gives back may be the highest now. */
HOOK int madvise(void *start, size_t bytes, int advice)
{
	if (!tls_is_ready())
		return sys_call3(SYS_madvise, start, bytes, advice) < 0 ? -1 : 0;
	need_real();
	if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE ||
	    advice == MADV_PAGEOUT || advice == MADV_DONTNEED_LOCKED)
		before_fall(bytes, HOOK_FRAME);
	return real.madvise(start, bytes, advice);
}

/* The heap ended at `from`. */
static void wrote_break(uint64_t from, uint64_t stamp0, const uint64_t *fp)
{
	const uint64_t old = pages(from), now = pages((uint64_t)sys_call1(SYS_brk, 0));
	struct xt_mapping m = { .what = XT_MAPPING_BREAK, .stamp0 = stamp0 };

	if (now > old) {
		m.start = old;
		m.bytes = now - old;
	} else {
		m.old_start = now;
		m.old_bytes = old - now;
	}
	if (now != old)
		write_mapping(&m, fp);
}

HOOK void *sbrk(intptr_t bytes)
{
	uint64_t stamp0;
	void *old;

	need_real();
	if (!bytes)
		return real.sbrk(bytes);
	life_moves_heap();
	if (bytes < 0)
		before_fall(-(uint64_t)bytes, HOOK_FRAME);
	stamp0 = stamp();
	old = real.sbrk(bytes);
	if (old != (void *)-1 && is_recorded())
		wrote_break((uint64_t)old, stamp0, HOOK_FRAME);
	return old;
}

HOOK int brk(void *end)
{
	uint64_t stamp0, from;
	int result;

	need_real();
	life_moves_heap();
	from = (uint64_t)sys_call1(SYS_brk, 0);
	if ((uint64_t)end < from)
		before_fall(from - (uint64_t)end, HOOK_FRAME);
	stamp0 = stamp();
	result = real.brk(end);
	if (result == 0 && is_recorded())
		wrote_break(from, stamp0, HOOK_FRAME);
	return result;
}
