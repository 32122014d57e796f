/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Temporary: freed by the thread that allocated it, with no other allocation call of that thread
 * between.
 *
 *                                                      calls  bytes  frees  temporary
 *   main      pthread_create: a dtv, left                  1    DTV      0  0
 *   pairs     1000 times malloc(16), free               1000  16000   1000  1000
 *   nested    outer malloc(100), inner malloc(200),
 *             free inner, free outer                       2    300      2  1: inner
 *   siblings  elder malloc(10), younger malloc(20), free
 *             elder, free younger: a free between is none  2     30      2  1: younger
 *   resized   seed malloc(8), resize realloc(., 800),
 *             free: the realloc frees the seed             2    808      1  2: both
 *   emptied   calloc(3, 11), realloc(., 0)                 1     33      1  1
 *   refused   malloc(40), a calloc that fails, free        1     40      1  1
 *   turns     mine malloc(64) | worker: theirs malloc(128)
 *             | main frees mine: the other call was not
 *             main's                                       1     64      1  1: mine
 *             | main frees theirs: not its own             1    128      1  0
 *             | worker: theirs malloc(128), free           1    128      1  1: theirs
 *                                                      -----  -----  -----  ----
 *                                                       1011  17531   1010  1008, and the dtv
 *
 * 1000 + 2 + 2 + 1 + 1 + 1 + 2 = 1009 by malloc, 1 by calloc, 1 by realloc; with the dtv 2 by
 * calloc. Peak: resized, 800 + DTV, 2 blocks (the seed is gone in the same step).
 *
 * N times the same, but for the thread, which is the same one.
 */
#include <pthread.h>
#include <stdint.h>

#include "controls/control.h"

static pthread_barrier_t turn;
static void *handed_over;

SITE void pairs(void)
{
	for (int i = 0; i < 1000; i++)
		free(counted(malloc(16), 16));
}

SITE void *outer(void)
{
	return counted(malloc(100), 100);
}

SITE void *inner(void)
{
	return counted(malloc(200), 200);
}

SITE void nested(void)
{
	void *block = outer();

	free(inner());
	free(block);
}

SITE void *elder(void)
{
	return counted(malloc(10), 10);
}

SITE void *younger(void)
{
	return counted(malloc(20), 20);
}

SITE void siblings(void)
{
	void *first = elder();
	void *second = younger();

	free(first);
	free(second);
}

SITE void *seed(void)
{
	return counted(malloc(8), 8);
}

SITE void *resize(void *block)
{
	return counted(realloc(block, 800), 800);
}

SITE void resized(void)
{
	free(resize(seed()));
}

SITE void emptied(void)
{
	void *block = counted(calloc(3, 11), 33);

	NEED(!counted(realloc(blind(block), opaque(0)), 0));
}

SITE void refused(void)
{
	void *block = counted(malloc(40), 40);

	NEED(!counted(calloc(opaque(SIZE_MAX / 2), 3), 0));
	free(block);
}

SITE void *mine(void)
{
	return counted(malloc(64), 64);
}

SITE void *theirs(void)
{
	return counted(malloc(128), 128);
}

SITE void *worker(void *work)
{
	for (unsigned long i = 0; i < *(unsigned long *)work; i++) {
		pthread_barrier_wait(&turn);
		handed_over = theirs();
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
		free(theirs());
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

SITE void turns(void)
{
	void *block = mine();

	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	free(block);
	free(handed_over);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);
	pthread_t thread;

	control_use_threads();
	pthread_barrier_init(&turn, NULL, 2);
	NEED(!pthread_create(&thread, NULL, worker, &work));
	for (unsigned long i = 0; i < work; i++) {
		pairs();
		nested();
		siblings();
		resized();
		emptied();
		refused();
		turns();
	}
	pthread_join(thread, NULL);
	return control_end();
}
