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
void *early_at_last(void);
void early_give_back(void);

static void *left, *at_last;
static char *large;

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
	int i;

	free(early_take(1000));
	left = early_wider(early_take(100));
	table = (char *)early_table();
	NEED(left && table && !table[0] && !table[29]);
	free(table);
	large = early_take(3000000);
	NEED(large && large[0] == 0 && large[2999999] == 0);
	large[2999999] = 1;
	for (i = 0; i < 200; i++)
		free(early_take(400));
	at_last = early_take(10);
	NEED(!realloc(early_take(10), 0));
	return implementation;
}

int early_picked(void) __attribute__((ifunc("early_pick")));

__attribute__((noinline)) void *early_left(void)
{
	return left;
}

__attribute__((noinline)) void *early_at_last(void)
{
	return at_last;
}

__attribute__((noinline)) void early_give_back(void)
{
	NEED(large[2999999] == 1);
	free(large);
}

__attribute__((noinline)) void early_count(unsigned long calls, unsigned long bytes)
{
	atomic_fetch_add(&control_calls, calls);
	atomic_fetch_add(&control_bytes, bytes);
	control_end();
}
