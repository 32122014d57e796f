/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that one thread allocates and another frees.
 *
 *   main    give     100 blocks of 32             live 3200
 *   main    pthread_create: a dtv                 live 3200 + DTV   the peak, 101 blocks
 *   first   frees all 100                         live        DTV
 *   first   answer   50 blocks of 48              live 2400 + DTV
 *   main    joins first, creates second, which gets first's stack and dtv again: no call
 *   second  frees 25 of them                      live 1200 + DTV
 *   second  rest     1 block of 7, left           live 1207 + DTV
 *   main    frees 25                              live    7 + DTV
 *
 * 100 + 50 + 1 = 151 calls, 3200 + 2400 + 7 = 5607 bytes, 150 frees. Nothing is temporary: no
 * thread frees what it allocated. 3 threads.
 *
 * N times: the dtv serves later rounds too, each leaves its 7.
 */
#include <pthread.h>

#include "controls/control.h"

static void *block[100];

SITE void *give(void)
{
	return counted(malloc(32), 32);
}

SITE void *answer(void)
{
	return counted(malloc(48), 48);
}

SITE void *rest(void)
{
	return counted(malloc(7), 7);
}

SITE void *first(void *unused)
{
	(void)unused;
	for (int i = 100; i-- > 0;)
		free(block[i]);
	for (int i = 0; i < 50; i++)
		block[i] = answer();
	return NULL;
}

SITE void *second(void *unused)
{
	(void)unused;
	for (int i = 25; i < 50; i++)
		free(block[i]);
	NEED(rest());
	return NULL;
}

SITE void hand_over(void)
{
	pthread_t thread;

	for (int i = 0; i < 100; i++)
		block[i] = give();
	NEED(!pthread_create(&thread, NULL, first, NULL));
	pthread_join(thread, NULL);
	NEED(!pthread_create(&thread, NULL, second, NULL));
	pthread_join(thread, NULL);
	for (int i = 0; i < 25; i++)
		free(block[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	control_use_threads();
	for (unsigned long i = 0; i < work; i++)
		hand_over();
	return control_end();
}
