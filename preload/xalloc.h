/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For programs that tell xalloc what they do: phases, iterations, which part counts, and pools that
 * they carve up themselves. C and C++, nothing to link: without libxalloc.so preloaded each call is
 * a load and a branch. Calls may be made from any thread, from signal handlers, and from an
 * allocator of the program's own. Names are UTF-8, cut after 100 bytes, and copied.
 *
 *	xalloc_mark("parse");
 *	for (...) {
 *		xalloc_iteration();
 *		...
 *	}
 *	xalloc_mark("done");
 *
 * `xalloc-report phases TRACE` shows what each phase did; docs/marks.md has examples.
 */
#ifndef XALLOC_H
#define XALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The recorder's, not to be called directly. */
int xalloc_preload_mark(unsigned what, const char *name) __attribute__((weak));
void xalloc_preload_pool(unsigned what, const char *pool, const void *old, const void *p,
			 size_t size) __attribute__((weak));

#define XALLOC_INLINE static inline __attribute__((always_inline, unused))

/*
 * Whether a weak name is there is asked of the global offset table: other forms are decided when a
 * position-dependent program is linked, where there is no preload.
 */
#if defined(__x86_64__) && defined(__ELF__)
#define XALLOC_FIND(name, found)                                                              \
	__asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0" : "=r"(found))
#else
#define XALLOC_FIND(name, found) ((found) = &name)
#endif

XALLOC_INLINE int xalloc_tell(unsigned what, const char *name)
{
	int (*mark)(unsigned, const char *);

	XALLOC_FIND(xalloc_preload_mark, mark);
	return mark ? mark(what, name) : 0;
}

XALLOC_INLINE void xalloc_tell_pool(unsigned what, const char *pool, const void *old,
				    const void *p, size_t n)
{
	void (*tell)(unsigned, const char *, const void *, const void *, size_t);

	XALLOC_FIND(xalloc_preload_pool, tell);
	if (tell)
		tell(what, pool, old, p, n);
}

/* 1: this process is being recorded, paused or not. */
XALLOC_INLINE int xalloc_is_recording(void)
{
	return xalloc_tell(0, NULL);
}

/*
 * The phase `name` begins, for all threads, and the one before ends; a name may come again. What is
 * before the first mark is the phase "start", which may come again, too.
 */
XALLOC_INLINE void xalloc_mark(const char *name)
{
	xalloc_tell(1, name);
}

/* The next turn of the phase's loop begins. */
XALLOC_INLINE void xalloc_iteration(void)
{
	xalloc_tell(2, NULL);
}

/*
 * From pause to resume allocations do not count, in any thread: they are cheap, are in no figure, and
 * look like no leak. Frees do count: of blocks from outside of the pause as always, of blocks from
 * within as "untracked". They do not nest. XALLOC_START=0 begins with a pause.
 */
XALLOC_INLINE void xalloc_pause(void)
{
	xalloc_tell(3, NULL);
}

XALLOC_INLINE void xalloc_resume(void)
{
	xalloc_tell(4, NULL);
}

/* Remembers this instant: `xalloc-report phases` says what was live then. */
XALLOC_INLINE void xalloc_dump(void)
{
	xalloc_tell(5, NULL);
}

/*
 * Blocks that the program carves itself out of memory that it has. Each pool has figures of its
 * own, apart from malloc's and from other pools'. Say an allocation after it was made, a free before
 * the block may be handed out again. p NULL: nothing happened.
 */
XALLOC_INLINE void xalloc_custom_alloc(const char *pool, const void *p, size_t n)
{
	xalloc_tell_pool(1, pool, NULL, p, n);
}

/* The block `old` (NULL: none) is p now, with n bytes; p may be old. */
XALLOC_INLINE void xalloc_custom_realloc(const char *pool, const void *old, const void *p, size_t n)
{
	xalloc_tell_pool(2, pool, old, p, n);
}

XALLOC_INLINE void xalloc_custom_free(const char *pool, const void *p)
{
	xalloc_tell_pool(3, pool, NULL, p, 0);
}

#ifdef __cplusplus
}
#endif

#endif
