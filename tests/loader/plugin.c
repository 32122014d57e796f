/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NAME(), which plugin_work() calls, makes 10 allocation calls of 100 bytes and frees half of the
 * blocks. A constructor makes one of 3 bytes, which the destructor frees; a program with a counter
 * plugin_begun has it counted.
 */
#include <stdatomic.h>
#include <stdlib.h>

extern atomic_long plugin_begun __attribute__((weak));
int plugin_work(void);
__attribute__((noinline)) int NAME(void);

static void *kept;

__attribute__((constructor)) static void plugin_begins(void)
{
	if (&plugin_begun)
		atomic_fetch_add(&plugin_begun, 1);
	kept = malloc(3);
}

__attribute__((destructor)) static void plugin_ends(void)
{
	free(kept);
}

int NAME(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		void *volatile p = malloc(100);

		if (!p)
			abort();
		if (i % 2)
			free(p);
	}
	return i;
}

int plugin_work(void)
{
	const int calls = NAME();

	__asm__ volatile("" ::: "memory"); /* NAME is called, not jumped to */
	return calls;
}
