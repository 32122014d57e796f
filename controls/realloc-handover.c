/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In the middle of a realloc its old address is handed to another thread. At that moment the
 * realloc is as good as done: the old block leaves and the new one arrives in one step, then comes
 * the other thread's block. The allocator is the control's own: controls/lib/scripted.c.
 *
 *   main     pthread_create: a dtv (control.h)             live           DTV
 *   main     first: malloc(16 MiB), at P                   live 16 MiB + DTV
 *   main     more: realloc to 20 MiB, begins; P is free for the allocator
 *   other      inside: malloc(12 MiB), at P                live 20 MiB + DTV, then
 *                                                          live 32 MiB + DTV: the peak, 3 blocks
 *   other      free                                        live 20 MiB + DTV
 *   main     the realloc ends, elsewhere                   live 20 MiB + DTV
 *   main     free                                          live           DTV
 *
 * At the peak: more's 20 MiB and inside's 12. With the old block counted to the end it would be 28,
 * with the new one missing until then 20, with both 48. 3 N calls and the dtv, 48 MiB N + DTV
 * bytes, 2 N frees, 3 N temporary. N times: the same peak.
 */
#include <pthread.h>
#include <semaphore.h>

#include "controls/control.h"

#define MIB ((size_t)1 << 20)

void *__libc_malloc(size_t bytes);
extern void *(*scripted_malloc)(size_t bytes);
extern void *(*scripted_realloc)(void *old, size_t bytes);

static unsigned long work;
static sem_t opened, closed;
static void *released; /* for the other thread's malloc */

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

static void *handing_malloc(size_t bytes)
{
	void *block = released;

	if (bytes != 12 * MIB)
		return __libc_malloc(bytes);
	released = NULL;
	return block;
}

static void *handing_realloc(void *old, size_t bytes)
{
	void *fresh = __libc_malloc(bytes);

	NEED(fresh && fresh != old);
	memcpy(fresh, old, 4096);
	released = old;
	sem_post(&opened);
	wait_for(&closed);
	return fresh;
}

SITE void *first(void)
{
	return counted(malloc(16 * MIB), 16 * MIB);
}

SITE void *more(void *old)
{
	return counted(realloc(old, 20 * MIB), 20 * MIB);
}

SITE void *inside(void)
{
	return counted(malloc(12 * MIB), 12 * MIB);
}

SITE void *other(void *unused)
{
	for (unsigned long i = 0; i < work; i++) {
		void *block, *expected;

		wait_for(&opened);
		expected = released;
		block = inside();
		NEED(block && block == expected);
		free(block);
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
	scripted_malloc = handing_malloc;
	scripted_realloc = handing_realloc;
	for (unsigned long i = 0; i < work; i++) {
		void *block = first();

		NEED(block);
		block = more(block);
		free(block);
	}
	pthread_join(thread, NULL);
	return control_end();
}
