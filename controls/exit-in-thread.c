/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread ends the process while main waits for it: handlers run in that thread.
 *
 *   main      held: malloc(100), N times, kept       live 100 N
 *   main      pthread_create: a dtv (control.h)      live 100 N + DTV
 *   worker    own: malloc(60), N times, kept         live 160 N + DTV
 *   worker    exit(0) > at_exit
 *             frees the last 60: its own, with no call of its own since: temporary
 *             frees the last 100: main's, not temporary
 *             late: malloc(5), N times, kept         live 160 (N - 1) + 5 N + DTV
 *
 * 3 N calls and the dtv, 165 N bytes, 2 frees, 1 temporary; left 160 (N - 1) + 5 N in 3 N - 2
 * blocks, and the dtv. The peak is the worker's last 60: 160 N + DTV in 2 N + 1 blocks.
 */
#include <pthread.h>

#include "controls/control.h"

static unsigned long work;
static void *newest_held, *newest_own;

SITE void *held(void)
{
	return counted(malloc(100), 100);
}

SITE void *own(void)
{
	return counted(malloc(60), 60);
}

SITE void *late(void)
{
	return counted(malloc(5), 5);
}

SITE void at_exit(void)
{
	free(newest_own);
	free(newest_held);
	for (unsigned long i = 0; i < work; i++)
		NEED(late());
	control_end();
}

SITE void *worker(void *unused)
{
	for (unsigned long i = 0; i < work; i++)
		newest_own = own();
	exit(0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	work = control_work(argc, argv);
	control_use_threads();
	NEED(!atexit(at_exit));
	for (unsigned long i = 0; i < work; i++)
		newest_held = held();
	NEED(!pthread_create(&thread, NULL, worker, NULL));
	pthread_join(thread, NULL);
	return 5;
}
