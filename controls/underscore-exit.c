/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * _exit with live blocks: no handler runs, and nothing that was recorded is lost.
 *
 *   block   malloc(10), N times, the last one freed: temporary
 *
 * N calls, 10 N bytes, 1 free; 10 (N - 1) left. The peak is 10 N. never, a handler of atexit and
 * destructor, would spoil all this.
 */
#include "controls/control.h"

SITE void *block(void)
{
	return counted(malloc(10), 10);
}

SITE __attribute__((destructor)) void never(void)
{
	NEED(block());
	_exit(4);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);
	void *newest = NULL;

	NEED(!atexit(never));
	for (unsigned long i = 0; i < work; i++)
		newest = block();
	free(newest);
	_exit(control_end());
}
