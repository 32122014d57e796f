/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function that changes the stack and keeps rbp as the base of its frame: from the main stack to
 * one far below, between two stacks of which the second lies above the first, there and back on
 * one, and from a thread's.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

#define BYTES 65536

void call_on(void *top, void (*fn)(void));

static char *low, *high; /* tops */
static char in_data[BYTES] __attribute__((aligned(16)));

static SITE void deep(int n)
{
	if (n)
		deep(n - 1);
	take((size_t)n + 1);
	NOT_LAST;
}

static void end(void)
{
	deep(3);
	take(1);
}

static void up(void)
{
	call_on(high, end);
	take(2);
}

static void down(void)
{
	call_on(low, end);
	take(3);
}

static SITE void all(void)
{
	call_on(low, end);
	call_on(low, up);
	call_on(high, down);
	call_on(in_data + BYTES, end);
	call_on(in_data + BYTES, up);
	deep(2);
}

static void *thread(void *unused)
{
	(void)unused;
	all();
	return NULL;
}

int main(void)
{
	/* with a page without access between the two */
	char *memory = mmap(NULL, 2 * BYTES + 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t other;
	int i;

	NEED(memory != MAP_FAILED && !mprotect(memory + BYTES, 4096, PROT_NONE));
	low = memory + BYTES;
	high = memory + 2 * BYTES + 4096;
	for (i = 0; i < 10; i++)
		all();
	/* its dtv: a call, but none of take's */
	NEED(!pthread_attr_init(&attributes));
	NEED(!pthread_create(&other, &attributes, thread, NULL));
	__atomic_fetch_add(&hazard_calls, 1, __ATOMIC_RELAXED);
	NEED(!pthread_join(other, NULL));
	return hazard_end();
}
