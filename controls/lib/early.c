/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library with a function that is chosen when it is first bound (ifunc). What chooses it
 * allocates. It runs while libearly-user.so is relocated, which is before a preloaded library is:
 * see early.c.
 */
#include "controls/control.h"

int early_picked(void);
void early_count(unsigned long calls, unsigned long bytes);
void *early_left(void);

static void *left;

SITE int implementation(void)
{
	return 7;
}

SITE void *early_take(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE void *early_table(void)
{
	return counted(calloc(3, 10), 30);
}

SITE void *early_wider(void *old)
{
	return counted(realloc(old, 200), 200);
}

SITE int (*early_pick(void))(void)
{
	char *table;

	free(early_take(1000));
	left = early_wider(early_take(100));
	table = (char *)early_table();
	NEED(left && table && !table[0] && !table[29]);
	free(table);
	return implementation;
}

int early_picked(void) __attribute__((ifunc("early_pick")));

__attribute__((noinline)) void *early_left(void)
{
	return left;
}

__attribute__((noinline)) void early_count(unsigned long calls, unsigned long bytes)
{
	atomic_fetch_add(&control_calls, calls);
	atomic_fetch_add(&control_bytes, bytes);
	control_end();
}
