/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a block is temporary is a matter of its own thread: the calls of others do not count,
 * however they interleave. Two threads take turns.
 *
 *   main                       other
 *   a = malloc(10)
 *                              b = malloc(20)
 *   free(a): temporary
 *                              free(b): temporary
 *   c = malloc(30)
 *                              free(c): not its own
 *                              d = calloc(1, 40)
 *   e = malloc(50)
 *   free(d): not its own
 *                              d2 = malloc(60)
 *                              a failed call, free(NULL)
 *   free(e): temporary
 *                              free(d2): temporary
 *   f = malloc(70)
 *                              f = realloc(f, 80): not its own; and other's call
 *   free(f): not its own
 *   g = malloc(90), h = malloc(100)
 *   free(g): not; free(h): temporary
 *
 * main: a, c, e, f, g, h: 10 + 30 + 50 + 70 + 90 + 100 = 350 bytes, 6 malloc. other: b, d, d2, f:
 * 20 + 40 + 60 + 80 = 200 bytes: 2 malloc, 1 calloc, 1 realloc. With the dtv of pthread_create
 * (control.h) 10 N + 1 calls, 550 N + DTV bytes, 9 N frees, N failed, 5 N temporary. The peak is
 * g and h: 190 + DTV.
 */
#include <pthread.h>
#include <stdint.h>

#include "controls/control.h"

static unsigned long work;
static pthread_barrier_t turn;
static void *c, *d, *f;

SITE void *take(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE void *table(void)
{
	return counted(calloc(1, 40), 40);
}

SITE void *wider(void *old)
{
	return counted(realloc(old, 80), 80);
}

/* The turn ends; the next one is the other thread's. */
static void next(void)
{
	pthread_barrier_wait(&turn);
}

static void pass(void)
{
	next();
	next();
}

SITE void *other(void *unused)
{
	for (unsigned long i = 0; i < work; i++) {
		void *b, *d2;

		next();
		b = take(20);
		pass();
		free(b);
		pass();
		free(c);
		d = table();
		pass();
		d2 = take(60);
		NEED(!counted(malloc(opaque(SIZE_MAX)), 0));
		free(blind(NULL));
		pass();
		free(d2);
		pass();
		f = wider(f);
		next();
	}
	return unused;
}

SITE void one_round(void)
{
	void *a = take(10), *e, *g, *h;

	pass();
	free(a);
	pass();
	c = take(30);
	pass();
	e = take(50);
	free(d);
	pass();
	free(e);
	pass();
	f = take(70);
	pass();
	free(f);
	g = take(90);
	h = take(100);
	free(g);
	free(h);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	work = control_work(argc, argv);
	control_use_threads();
	pthread_barrier_init(&turn, NULL, 2);
	NEED(!pthread_create(&thread, NULL, other, NULL));
	for (unsigned long i = 0; i < work; i++)
		one_round();
	pthread_join(thread, NULL);
	return control_end();
}
