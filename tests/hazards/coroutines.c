/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coroutines: two on stacks of their own in turn, running the same code; and others, one after the
 * other, whose stacks are unmapped and mapped again at other sizes, or used again at once, so that
 * the same leaf stands at the same place below other callers.
 */
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/hazards/hazard.h"

static ucontext_t outside, inside[2];

static SITE void work(size_t bytes)
{
	char room[32];

	__asm__ volatile("" : : "r"(room) : "memory");
	take(bytes);
	NOT_LAST;
}

/* Their frames are of one size. */
static SITE void left(void)
{
	work(10);
	NOT_LAST;
}

static SITE void right(void)
{
	NOT_LAST;
	work(20);
	NOT_LAST;
}

static void *map(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(memory != MAP_FAILED);
	return memory;
}

static void make(int which, void *memory, size_t bytes, void (*function)(void))
{
	NEED(!getcontext(&inside[which]));
	inside[which].uc_stack.ss_sp = memory;
	inside[which].uc_stack.ss_size = bytes;
	inside[which].uc_link = &outside;
	makecontext(&inside[which], function, 0);
}

static SITE void one_after_the_other(void)
{
	void *memory = map(32768);
	int i;

	for (i = 0; i < 50; i++) {
		make(0, memory, 32768, i & 1 ? right : left);
		NEED(!swapcontext(&outside, &inside[0]));
		if (i % 5 == 0)
			take(3);
	}
	NEED(!munmap(memory, 32768));
	for (i = 0; i < 50; i++) {
		const size_t bytes = 16384u << i % 4;

		memory = map(bytes);
		make(0, memory, bytes, i & 1 ? right : left);
		NEED(!swapcontext(&outside, &inside[0]));
		NEED(!munmap(memory, bytes));
	}
}

static SITE void yield(int which)
{
	take(4);
	NEED(!swapcontext(&inside[which], &inside[!which]));
	NOT_LAST;
}

static SITE void nest(int which, int n)
{
	yield(which);
	if (n)
		nest(which, n - 1);
	yield(which);
	NOT_LAST;
}

static void run_first(void)
{
	nest(0, 20);
}

static void run_second(void)
{
	for (;;)
		nest(1, 7);
}

static SITE void in_turn(void)
{
	void *memory = map(131072);
	int i;

	for (i = 0; i < 5; i++) {
		make(0, memory, 65536, run_first);
		make(1, (char *)memory + 65536, 65536, run_second);
		NEED(!swapcontext(&outside, &inside[0]));
		take(5);
	}
	NEED(!munmap(memory, 131072));
}

int main(void)
{
	one_after_the_other();
	in_turn();
	one_after_the_other();
	return hazard_end();
}
