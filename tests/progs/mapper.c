/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps memory in ways whose sums are on paper (tests/mappings.test has them): "mapper" once,
 * "mapper threads N TIMES" in N threads at once, each TIMES, "mapper alone TIMES" as one of them
 * does it, in the main thread. "mapper between FROM TO EVENTS ODD": maps and gives back in turn, TO
 * times in all, from the FROMth on with so many calls of the heap after each, and ODD (0 or 1)
 * times more from deeper in the stack before.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/xalloc.h"

#define SITE __attribute__((noinline, noclone))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

SITE static char *map(size_t bytes, int flags)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	KEEP(p);
	if (p == MAP_FAILED)
		exit(1);
	return p;
}

SITE static char *move(char *p, size_t from, size_t to)
{
	p = mremap(p, from, to, MREMAP_MAYMOVE);
	KEEP(p);
	if (p == MAP_FAILED)
		exit(1);
	return p;
}

SITE static void grow_heap(void)
{
	if (sbrk(3 << 12) == (void *)-1 || sbrk(-(1 << 12)) == (void *)-1)
		exit(1);
}

/* Of the heap: the caller's caller is another one each time, which the mapping sees first. */
SITE static void take(size_t bytes)
{
	char *p;

	munmap(map(4096, MAP_PRIVATE), 4096);
	p = malloc(bytes);
	KEEP(p);
	free(p);
}

SITE static void first(void)
{
	take(100);
	KEEP(0);
}

SITE static void second(void)
{
	take(4096);
	KEEP(0);
}

SITE static void once(void)
{
	char *p = map(1 << 20, MAP_PRIVATE), *q = map(10000, MAP_SHARED);

	first();
	second();
	munmap(p + 4096, 8192);     /* a hole: two ranges are left */
	q = move(q, 12288, 100000); /* 12,288 go, 102,400 come */
	if (mmap(p, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != p)
		exit(1); /* on top of what is there */
	grow_heap();
	errno = 42;
	if (mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED ||
	    errno != EINVAL)
		exit(2);
	errno = 42;
	munmap(q + 4096, 4096);
	if (errno != 42)
		exit(3);
	xalloc_pause();
	munmap(map(1 << 16, MAP_PRIVATE), 1 << 16);
	xalloc_resume();
}

static void *many(void *times)
{
	for (long i = *(long *)times; i; i--)
		munmap(map(8192, MAP_PRIVATE), 8192);
	return NULL;
}

SITE static char *map_deep(int depth)
{
	char *p = depth ? map_deep(depth - 1) : map(8192, MAP_PRIVATE);

	KEEP(p);
	return p;
}

static void between(long from, long to, long events, long odd)
{
	char *p = odd ? map_deep(14) : NULL, *q;

	for (long i = 0; i < to; i++) {
		if (p)
			munmap(p, 8192);
		p = p ? NULL : map(8192, MAP_PRIVATE);
		for (long j = i < from ? events : 0; j < events; j += 2) {
			q = malloc(40);
			KEEP(q);
			free(q);
		}
	}
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	long threads = argc > 3 ? atol(argv[2]) : 0, times = argc > 2 ? atol(argv[argc - 1]) : 0;

	if (argc == 6) {
		between(atol(argv[2]), atol(argv[3]), atol(argv[4]), atol(argv[5]));
		return 0;
	}
	if (argc == 1)
		once();
	if (argc == 3)
		many(&times);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, many, &times))
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
