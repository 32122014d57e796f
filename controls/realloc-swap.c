/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two reallocs at the same time, each of which gets the other's old address. The allocator is the
 * control's own, controls/lib/scripted.c; each of its blocks has room for 32 MiB, whatever was
 * asked.
 *
 *   main     pthread_create: a dtv (control.h)           live           DTV
 *   main     left: malloc(16 MiB), at P                  live 16 MiB + DTV
 *   other    right: malloc(4 MiB), at Q                  live 20 MiB + DTV
 *   main     left_more: realloc of P to 20 MiB, begins, gives P up
 *   other    right_more: realloc of Q to 10 MiB, begins, gives Q up, takes P, ends
 *   main     takes Q, ends                               live 30 MiB + DTV: the peak, 3 blocks
 *   main     free(Q): 20 MiB                             live 10 MiB + DTV
 *   other    free(P): 10 MiB                             live           DTV
 *
 * Whichever of the two steps is taken first, 16 to 20 or 4 to 10, the peak is 30 MiB. 4 N calls and
 * the dtv, 50 MiB N + DTV bytes, 2 N frees, 4 N temporary. N times: the same peak.
 */
#include <pthread.h>
#include <semaphore.h>

#include "controls/control.h"

#define MIB ((size_t)1 << 20)

void *__libc_malloc(size_t bytes);
extern void *(*scripted_malloc)(size_t bytes);
extern void *(*scripted_realloc)(void *old, size_t bytes);

static unsigned long work;
static sem_t to_other, to_main;
static void *p, *q;

/* The other thread has its turn: from the first of these to the second. */
static void turn(sem_t *other, sem_t *mine)
{
	sem_post(other);
	while (sem_wait(mine))
		;
}

static void wait_for(sem_t *mine)
{
	while (sem_wait(mine))
		;
}

static void *roomy(size_t bytes)
{
	NEED(bytes <= 32 * MIB);
	return __libc_malloc(32 * MIB);
}

static void *swap(void *old, size_t bytes)
{
	if (old == p && bytes == 20 * MIB) {
		turn(&to_other, &to_main);
		return q;
	}
	NEED(old == q && bytes == 10 * MIB);
	return p;
}

SITE void *left(void)
{
	return counted(malloc(16 * MIB), 16 * MIB);
}

SITE void *right(void)
{
	return counted(malloc(4 * MIB), 4 * MIB);
}

SITE void *left_more(void *old)
{
	return counted(realloc(old, 20 * MIB), 20 * MIB);
}

SITE void *right_more(void *old)
{
	return counted(realloc(old, 10 * MIB), 10 * MIB);
}

SITE void *other(void *unused)
{
	for (unsigned long i = 0; i < work; i++) {
		wait_for(&to_other);
		q = right();
		turn(&to_main, &to_other);
		NEED(right_more(q) == p);
		turn(&to_main, &to_other);
		free(p);
		sem_post(&to_main);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	work = control_work(argc, argv);
	control_use_threads();
	sem_init(&to_other, 0, 0);
	sem_init(&to_main, 0, 0);
	NEED(!pthread_create(&thread, NULL, other, NULL));
	scripted_malloc = roomy;
	scripted_realloc = swap;
	for (unsigned long i = 0; i < work; i++) {
		p = left();
		turn(&to_other, &to_main);
		NEED(p && q && left_more(p) == q);
		free(q);
		turn(&to_other, &to_main);
	}
	pthread_join(thread, NULL);
	return control_end();
}
