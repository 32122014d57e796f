/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that tells of its phases. marks: what tests/marks.test has on paper; marks threads: four
 * threads allocate while the first one goes through phases and pauses; marks grow N: N turns; marks
 * time: CPU nanoseconds a mark; marks killed, long: a process that is killed while it is paused, and
 * names that are cut; marks inner: calls of an allocator that tells of its own pool; marks crossed:
 * of one that pauses. Nothing is printed but by the last, so that stdio allocates nothing.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/xalloc.h"

static void *kept[10];

static void use(int times, size_t size)
{
	for (int i = 0; i < times; i++)
		free(malloc(size));
}

static int phases(void)
{
	static char arena[1000];
	void *early = malloc(1000), *paused, *moved;

	xalloc_mark("load");
	for (int i = 0; i < 10; i++) {
		xalloc_iteration();
		kept[i] = malloc(50);
		use(3, 100);
	}
	xalloc_pause();
	use(7, 10);
	paused = malloc(777);
	moved = realloc(early, 2000); /* early is freed, what comes is untracked */
	free(kept[0]);
	xalloc_resume();
	xalloc_mark("send \xff");
	use(5, 20);
	free(paused);
	moved = realloc(moved, 3000);
	xalloc_dump();
	xalloc_custom_alloc("arena", arena, 100);
	xalloc_custom_alloc("arena", arena + 100, 200);
	xalloc_custom_realloc("arena", arena + 100, arena + 300, 300);
	xalloc_custom_free("arena", arena);
	xalloc_custom_free("arena", arena + 900); /* never there */
	xalloc_custom_alloc(NULL, arena, 1);
	xalloc_custom_alloc("arena", NULL, 1);
	xalloc_mark("load");
	xalloc_iteration();
	use(1, 30);
	xalloc_mark(NULL);
	if (fork() == 0) {
		use(2, 5);
		_exit(xalloc_is_recording() ? 3 : 4);
	}
	wait(NULL);
	return xalloc_is_recording();
}

static volatile int is_over;

static void *allocate(void *arg)
{
	unsigned long *calls = arg;

	for (; !is_over; ++*calls)
		free(realloc(malloc(40), 80));
	return NULL;
}

static int threads(void)
{
	static unsigned long calls[4];
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, allocate, &calls[i]);
	for (int i = 0; i < 300; i++) {
		xalloc_mark(i % 2 ? "odd" : "even");
		use(10, 8);
		xalloc_pause();
		use(10, 8);
		xalloc_resume();
	}
	is_over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	dprintf(1, "%lu\n", 2 * (calls[0] + calls[1] + calls[2] + calls[3]) + 300 * 20);
	return 0;
}

/* Per turn: 100 bytes that stay, 2 temporary calls; of 50 entries of a cache one more. */
static void *cache[50];

static void __attribute__((noinline)) leak(void)
{
	kept[0] = malloc(100);
}

static void __attribute__((noinline)) fill(int turn)
{
	if (turn < 50)
		cache[turn] = malloc(1000);
}

static int grow(int turns)
{
	void *always = malloc(5000);

	for (int i = 0; i < turns; i++) {
		xalloc_iteration();
		leak();
		fill(i);
		use(2, 33);
	}
	free(always);
	return 0;
}

/* A block leaves all figures by a realloc while recording is paused. */
static int move_in_pause(void)
{
	void *moved = malloc(100000), *stays;

	xalloc_pause();
	moved = realloc(moved, 200000);
	xalloc_resume();
	stays = malloc(5000);
	return !moved || !stays;
}

/* A turn for each byte of standard input, and a line for each when it is over; first the process
 * id. */
static int wait_for_turns(void)
{
	char turn, text[16];
	const int length = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (write(1, text, (size_t)length) < 0)
		return 1;
	while (read(0, &turn, 1) == 1) {
		use(1000, 16);
		if (write(1, ".\n", 2) < 0)
			return 1;
	}
	return 0;
}

static int killed(void)
{
	static char pool[16];

	use(3, 10);
	xalloc_custom_alloc("p", pool, 16);
	xalloc_pause();
	use(2, 10);
	return kill(getpid(), SIGKILL);
}

/* 100 bytes end in the middle of a character, of the first byte of one, and behind one; and what is
 * no UTF-8. */
static int long_names(void)
{
	char name[301];

	for (int shift = 0; shift < 4; shift++) {
		memset(name, 'a', sizeof(name));
		for (int i = shift; i + 3 < 300; i += 3)
			memcpy(name + i, "\xe2\x82\xac", 3);
		name[300] = 0;
		xalloc_mark(name);
	}
	memset(name, 0x80, 300);
	xalloc_mark(name);
	return 0;
}

static int inner(void)
{
	for (size_t i = 0; i < 100; i++) {
		void *const p = realloc(malloc(i), 2 * i + 1);

		if (i % 2)
			free(p);
	}
	use(1, 4321);
	return 0;
}

/* Under an allocator whose aligned_alloc pauses. */
static int crossed(void)
{
	void *volatile kept = NULL;

	for (int i = 0; i < 100; i++) {
		if (i == 50) {
			kept = aligned_alloc(64, 64);
			xalloc_resume();
		}
		use(1, 4321);
	}
	return !kept;
}

static int cost(void)
{
	const int marks = 2000000;
	struct timespec from, to;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < marks; i++)
		xalloc_mark("x");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("%.1f\n",
	       ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
		       marks);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "threads"))
		return threads();
	if (argc > 1 && !strcmp(argv[1], "time"))
		return cost();
	if (argc > 1 && !strcmp(argv[1], "move"))
		return move_in_pause();
	if (argc > 1 && !strcmp(argv[1], "wait"))
		return wait_for_turns();
	if (argc > 2 && !strcmp(argv[1], "grow"))
		return grow(atoi(argv[2]));
	if (argc > 1 && !strcmp(argv[1], "killed"))
		return killed();
	if (argc > 1 && !strcmp(argv[1], "long"))
		return long_names();
	if (argc > 1 && !strcmp(argv[1], "inner"))
		return inner();
	if (argc > 1 && !strcmp(argv[1], "crossed"))
		return crossed();
	return phases();
}
