/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two threads take turns by a barrier, so the order of all events is known.
 *
 *   main   creates both threads: 2 dtv by calloc, which stay (see control.h)
 *   left                            right
 *   a = malloc(1000)                                        live 1000 + 2 DTV
 *                                   b = malloc(2000)        live 3000 + 2 DTV
 *   a = realloc(a, 4000)                                    live 6000 + 2 DTV
 *                                   free(b)                 live 4000 + 2 DTV
 *   c = calloc(10, 100)                                     live 5000 + 2 DTV
 *                                   d = malloc(1500)        live 6500 + 2 DTV, peak: a c d, 2 dtv
 *   free(a)                                                 live 2500 + 2 DTV
 *                                   free(d)                 live 1000 + 2 DTV
 *   free(c)                                                 live        2 DTV
 *
 * The threads make 3 + 2 = 5 calls, 1000 + 4000 + 1000 + 2000 + 1500 = 9500 bytes, and 4 frees.
 * Temporary, by thread: a's first (left made no other call before its realloc, right's does not
 * matter), c (freeing a is no allocation call), b, d. Not a's second: c came between.
 *
 * N times: later rounds' threads get the stacks and dtv of the first again, so the first peak
 * stays the greatest.
 */
#include <pthread.h>

#include "controls/control.h"

static pthread_barrier_t turn;

SITE void *left_first(void)
{
	return counted(malloc(1000), 1000);
}

SITE void *left_grow(void *block)
{
	return counted(realloc(block, 4000), 4000);
}

SITE void *left_table(void)
{
	return counted(calloc(10, 100), 1000);
}

SITE void *right_first(void)
{
	return counted(malloc(2000), 2000);
}

SITE void *right_second(void)
{
	return counted(malloc(1500), 1500);
}

/* The other thread's turn: it begins behind the first wait and is over before the second. */
SITE void pass(void)
{
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
}

SITE void *left(void *unused)
{
	void *a, *c;

	(void)unused;
	a = left_first();
	pass();
	a = left_grow(a);
	pass();
	c = left_table();
	pass();
	free(a);
	pass();
	free(c);
	return NULL;
}

SITE void *right(void *unused)
{
	void *block;

	(void)unused;
	pthread_barrier_wait(&turn);
	block = right_first();
	pass();
	free(block);
	pass();
	block = right_second();
	pass();
	free(block);
	pthread_barrier_wait(&turn);
	return NULL;
}

SITE void take_turns(void)
{
	pthread_t thread[2];

	pthread_barrier_init(&turn, NULL, 2);
	NEED(!pthread_create(&thread[1], NULL, right, NULL));
	/* right waits for its turn, which begins with left's first pass */
	NEED(!pthread_create(&thread[0], NULL, left, NULL));
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	control_use_threads();
	for (unsigned long i = 0; i < work; i++)
		take_turns();
	return control_end();
}
