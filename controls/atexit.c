/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation after main has returned: in a handler of atexit, and in a destructor behind it.
 *
 *   main      early: malloc(300), N times, kept                   live 300 N
 *   at_exit   frees the last of them: main has made no other call since, and it is the same thread:
 *             temporary, once. Then N times
 *             brief   malloc(50), freed                           temporary
 *             late    malloc(7), kept
 *   at_end    (a destructor) N times
 *             last    malloc(2000), freed: temporary. 2000 more than what is live then, 300 (N - 1)
 *                     + 7 N: the peak, in 2 N blocks, at the first of them
 *
 * 4 N calls, 2357 N bytes, 1 + 2 N frees, 1 + 2 N temporary; left 300 (N - 1) + 7 N in 2 N - 1
 * blocks.
 *
 * What runs a handler is libc's, with names only where its debug files are installed: `~`.
 */
#include "controls/control.h"

static unsigned long work;
static void *newest;

SITE void *early(void)
{
	return counted(malloc(300), 300);
}

SITE void *brief(void)
{
	return counted(malloc(50), 50);
}

SITE void *late(void)
{
	return counted(malloc(7), 7);
}

SITE void *last(void)
{
	return counted(malloc(2000), 2000);
}

SITE void at_exit(void)
{
	free(newest);
	for (unsigned long i = 0; i < work; i++) {
		free(brief());
		NEED(late());
	}
}

SITE __attribute__((destructor)) void at_end(void)
{
	for (unsigned long i = 0; i < work; i++)
		free(last());
	control_end();
}

int main(int argc, char **argv)
{
	work = control_work(argc, argv);
	NEED(!atexit(at_exit));
	for (unsigned long i = 0; i < work; i++)
		newest = early();
	return 0;
}
