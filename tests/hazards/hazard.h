/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the hazard programs share. Each allocates from places where an unwinder can go wrong, counts
 * its calls, and says the count at its end; nothing else that it does allocates unless it says so.
 * tests/hazards.test compares every one of those stacks.
 */
#ifndef HAZARDS_HAZARD_H
#define HAZARDS_HAZARD_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A function that has a frame of its own and of which callers know nothing. */
#define SITE __attribute__((noinline, noclone, noipa, unused))

/* At a function's end: the call before it is not its last act. */
#define NOT_LAST __asm__ volatile("" : : : "memory")

/* The program's own premise does not hold: it would mean nothing. */
#define NEED(holds) ((holds) ? (void)0 : hazard_broken(__LINE__))

static unsigned long hazard_calls;

static inline __attribute__((unused)) void hazard_broken(int line)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "premise broken at line %d\n", line);

	if (write(STDOUT_FILENO, text, (size_t)length) != length)
		_exit(3);
	_exit(2);
}

/* One call. */
static SITE void take(size_t bytes)
{
	void *p = malloc(bytes);

	if (!p)
		hazard_broken(__LINE__);
	__atomic_fetch_add(&hazard_calls, 1, __ATOMIC_RELAXED);
	free(p);
	NOT_LAST;
}

static __attribute__((unused)) int hazard_end(void)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "calls %lu\n", hazard_calls);

	return write(STDOUT_FILENO, text, (size_t)length) != length;
}

#endif
