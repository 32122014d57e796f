/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A peak during a realloc that shrinks: in the middle another thread allocates, while the old,
 * larger block still counts. Then it shrinks in place. The allocator is the control's own:
 * controls/lib/scripted.c.
 *
 *   main     pthread_create: a dtv (control.h)             live           DTV
 *   main     first: malloc(16 MiB)                         live 16 MiB + DTV
 *   main     less: realloc to 1 MiB, begins
 *   other      inside: malloc(8 MiB), kept                 live 24 MiB + DTV: the peak, 3 blocks
 *   main     the realloc ends, in place                    live  9 MiB + DTV
 *   other      inside: malloc(8 MiB), kept                 live 17 MiB + DTV
 *   other      frees the later, then the earlier of them   live  1 MiB + DTV
 *   main     free                                          live           DTV
 *
 * 4 N calls and the dtv, 33 MiB N + DTV bytes, 3 N frees. Temporary: first's and less's, and the
 * later of the other thread's: 3 N. N times: the same peak.
 */
#include <pthread.h>
#include <semaphore.h>

#include "controls/control.h"

#define MIB ((size_t)1 << 20)

extern void *(*scripted_realloc)(void *old, size_t bytes);

static unsigned long work;
static sem_t opened, closed;

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

static void *slow(void *old, size_t bytes)
{
	NEED(old && bytes == MIB);
	sem_post(&opened);
	wait_for(&closed);
	return old;
}

SITE void *first(void)
{
	return counted(malloc(16 * MIB), 16 * MIB);
}

SITE void *less(void *old)
{
	return counted(realloc(old, MIB), MIB);
}

SITE void *inside(void)
{
	return counted(malloc(8 * MIB), 8 * MIB);
}

SITE void *other(void *unused)
{
	for (unsigned long i = 0; i < work; i++) {
		void *earlier, *later;

		wait_for(&opened);
		earlier = inside();
		sem_post(&closed);
		wait_for(&opened);
		later = inside();
		free(later);
		free(earlier);
		sem_post(&closed);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	work = control_work(argc, argv);
	control_use_threads();
	sem_init(&opened, 0, 0);
	sem_init(&closed, 0, 0);
	NEED(!pthread_create(&thread, NULL, other, NULL));
	scripted_realloc = slow;
	for (unsigned long i = 0; i < work; i++) {
		void *block = first();

		NEED(block);
		block = less(block);
		sem_post(&opened);
		wait_for(&closed);
		free(block);
	}
	pthread_join(thread, NULL);
	return control_end();
}
