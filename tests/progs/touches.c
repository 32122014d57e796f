/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds memory of which it is on paper what is resident (tests/residency.test): "touches SHAPE".
 * The shape is held at the end.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SITE __attribute__((noinline, noclone))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define MIB (1ul << 20)
#define SURVIVORS 4096

SITE static void *hold(size_t bytes)
{
	char *p = calloc(1, bytes);

	KEEP(p);
	if (!p)
		exit(1);
	return p;
}

SITE static void *small(size_t bytes)
{
	char *p = malloc(bytes);

	KEEP(p);
	if (!p)
		exit(1);
	return p;
}

/* One block of 32 bytes for each page of what was 4096 times a page. */
static void fragment(void)
{
	static char *between[SURVIVORS];

	for (int i = 0; i < SURVIVORS; i++) {
		memset(small(32), 1, 32);
		between[i] = hold(4096 - 32 - 32); /* two heads, of 16 bytes as rounded up */
		memset(between[i], 1, 4096 - 32 - 32);
	}
	for (int i = 0; i < SURVIVORS; i++)
		free(between[i]);
}

/* Given back right after it was touched: nothing else happens meanwhile. */
enum way { BY_FREE, BY_UNMAPPING, BY_ADVICE };

static void give_back(enum way way)
{
	for (size_t bytes = 4 * MIB; bytes <= 16 * MIB; bytes *= 2) {
		char *p;

		usleep(200000); /* there is time for a snapshot */
		p = way != BY_FREE ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				   : malloc(bytes);
		memset(p, 1, bytes);
		if (way == BY_FREE)
			free(p);
		else if (way == BY_UNMAPPING || madvise(p, bytes, MADV_DONTNEED))
			munmap(p, bytes);
	}
	small(1);
}

/* By itself: nobody in the process sees it. */
static void let_go(void *p, size_t bytes)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_madvise), "D"(p), "S"(bytes), "d"(MADV_DONTNEED)
			 : "rcx", "r11", "memory");
	if (result)
		exit(1);
}

/* Filled without any call after it, and gone before the next one. */
static void fill(char *p)
{
	const size_t from = -(size_t)p & 4095;

	memset(p, 1, 64 * MIB);
	KEEP(p);
	usleep(400000);
	let_go(p + from, 64 * MIB - 4096);
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	volatile char *p;
	size_t i;

	if (!strcmp(shape, "untouched")) {
		hold(64 * MIB);
	} else if (!strcmp(shape, "half")) {
		p = hold(64 * MIB);
		memset((char *)p, 1, 32 * MIB);
	} else if (!strcmp(shape, "filled")) {
		fill(hold(64 * MIB));
	} else if (!strcmp(shape, "mapped-filled")) {
		fill(mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0));
	} else if (!strcmp(shape, "read")) {
		p = hold(64 * MIB);
		madvise((void *)((size_t)(p + 4095) & ~4095ul), 63 * MIB, MADV_NOHUGEPAGE);
		for (i = 0; i < 64 * MIB; i += 4096)
			(void)p[i];
	} else if (!strcmp(shape, "survivors")) {
		fragment();
	} else if (!strcmp(shape, "freed")) {
		p = malloc(100000); /* on the heap, and at its top */
		memset((char *)p, 1, 100000);
		free((void *)p);
	} else if (!strcmp(shape, "spikes")) {
		/* else glibc keeps such blocks on its heap, once one was freed */
		mallopt(M_MMAP_THRESHOLD, 1 << 20);
		give_back(BY_FREE);
	} else if (!strcmp(shape, "mapped-spikes")) {
		small(1);
		give_back(BY_UNMAPPING);
	} else if (!strcmp(shape, "advised-spikes")) {
		small(1);
		give_back(BY_ADVICE);
	} else if (!strcmp(shape, "blind")) { /* nothing of /proc can be opened */
		if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, 0 }))
			return 1;
		hold(MIB);
	} else if (!strcmp(shape, "high")) {
		for (int turn = 0; turn < 4; turn++) {
			char *block = hold(16 * MIB);

			usleep(100000);
			memset(block, 1, 16 * MIB);
			for (i = 0; i < 40000; i++)
				free(small(100));
			if (turn == 3)
				free(block);
		}
	} else {
		return 1;
	}
	return 0;
}
