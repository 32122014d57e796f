/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that end in a jump to another one: no frame of theirs is left, and the next one stands
 * in their place with the same return address.
 */
#include "tests/hazards/hazard.h"

static SITE void last(size_t bytes)
{
	char room[40];

	__asm__ volatile("" : : "r"(room) : "memory");
	take(bytes);
	NOT_LAST;
}

static SITE void middle(size_t bytes)
{
	take(bytes);
	last(bytes + 1);
}

static SITE void first(size_t bytes)
{
	take(bytes);
	middle(bytes + 1);
}

static SITE void caller(int which)
{
	if (which)
		first(1);
	else
		middle(2);
	last(3);
	NOT_LAST;
}

/* A leaf that is jumped to: its stack has only its callers' caller. */
static SITE void jumps_to_malloc(void *(*volatile *call)(size_t), void **block)
{
	*block = (*call)(7);
}

static SITE void *hands_on(size_t bytes)
{
	__atomic_fetch_add(&hazard_calls, 1, __ATOMIC_RELAXED);
	return malloc(bytes);
}

int main(void)
{
	void *(*volatile call)(size_t) = hands_on;
	void *block;
	int i;

	for (i = 0; i < 50; i++) {
		caller(i & 1);
		caller(i & 2);
		first(4);
		jumps_to_malloc(&call, &block);
		free(block);
	}
	return hazard_end();
}
