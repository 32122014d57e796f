/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that outlive their thread. The thread that frees one next gets the ended thread's stack
 * and whatever a recorder kept for that thread, and is another thread all the same.
 *
 *   main     pthread_create: a dtv (control.h), which all later threads get again
 *   giver    one: malloc(70), two: malloc(80), ends     live 150
 *   taker    frees the 80: not temporary, though it was allocated last, for another thread did
 *            own: malloc(1), freed: temporary           live  71
 *   main     frees the 70: not temporary                live   0
 *
 * N times with two threads each: 3 N calls and the dtv, 151 N bytes, 3 N frees, N temporary. Peak
 * 150 + DTV, 3 blocks. 1 + 2 N threads.
 */
#include <pthread.h>

#include "controls/control.h"

static void *block[2];

SITE void *one(void)
{
	return counted(malloc(70), 70);
}

SITE void *two(void)
{
	return counted(malloc(80), 80);
}

SITE void *own(void)
{
	return counted(malloc(1), 1);
}

SITE void *giver(void *unused)
{
	block[0] = one();
	block[1] = two();
	return unused;
}

SITE void *taker(void *unused)
{
	free(block[1]);
	free(own());
	return unused;
}

SITE void run(void *(*function)(void *))
{
	pthread_t thread;

	NEED(!pthread_create(&thread, NULL, function, NULL));
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	control_use_threads();
	while (work--) {
		run(giver);
		run(taker);
		free(block[0]);
	}
	return control_end();
}
