/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * quick_exit with live blocks: its own handlers run and allocate, those of atexit and destructors
 * do not.
 *
 *   block      malloc(10), N times, kept           live 10 N
 *   at_quick   late: malloc(30), N times, kept     live 40 N: the peak, and left, 2 N blocks
 *              and brief: malloc(1), freed, before each of them: temporary
 *
 * 3 N calls, 41 N bytes, N frees. The handler is called by libc: `~`.
 */
#include "controls/control.h"

static unsigned long work;

SITE void *block(void)
{
	return counted(malloc(10), 10);
}

SITE void *brief(void)
{
	return counted(malloc(1), 1);
}

SITE void *late(void)
{
	return counted(malloc(30), 30);
}

SITE void at_quick(void)
{
	for (unsigned long i = 0; i < work; i++) {
		free(brief());
		NEED(late());
	}
	control_end();
}

SITE __attribute__((destructor)) void never(void)
{
	NEED(block());
	_exit(4);
}

int main(int argc, char **argv)
{
	work = control_work(argc, argv);
	NEED(!at_quick_exit(at_quick));
	NEED(!atexit(never));
	for (unsigned long i = 0; i < work; i++)
		NEED(block());
	quick_exit(0);
}
