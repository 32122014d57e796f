/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A realloc that takes its time: it copies, and waits in the middle until another thread has
 * allocated and freed 8 MiB. The old block counts until the new one does, and never both. The
 * allocator is the control's own: controls/lib/scripted.c.
 *
 *   main     pthread_create: a dtv (control.h)             live           DTV
 *   main     first: malloc(16 MiB)                         live 16 MiB + DTV
 *   main     again: realloc to 16 MiB, begins
 *   other      inside: malloc(8 MiB)                       live 24 MiB + DTV: the peak, 3 blocks
 *   other      free                                        live 16 MiB + DTV
 *   main     the realloc ends: another block               live 16 MiB + DTV
 *   main     free                                          live           DTV
 *
 * At the peak the 16 MiB are first's. Without the old block (a dip) the peak would be 16 MiB, with
 * both 40 MiB. 3 N calls and the dtv, 40 MiB N + DTV bytes, 2 N frees; each block is freed with no
 * other call of its thread since: 3 N temporary. N times: the same peak.
 */
#include <pthread.h>
#include <semaphore.h>

#include "controls/control.h"

#define MIB ((size_t)1 << 20)

void *__libc_malloc(size_t bytes);
void __libc_free(void *block);
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
	char *fresh = (char *)__libc_malloc(bytes);

	NEED(fresh && fresh != old);
	memcpy(fresh, old, 4096);
	sem_post(&opened);
	wait_for(&closed);
	__libc_free(old);
	return fresh;
}

SITE void *first(void)
{
	return counted(malloc(16 * MIB), 16 * MIB);
}

SITE void *again(void *old)
{
	return counted(realloc(old, 16 * MIB), 16 * MIB);
}

SITE void *inside(void)
{
	return counted(malloc(8 * MIB), 8 * MIB);
}

SITE void *other(void *unused)
{
	for (unsigned long i = 0; i < work; i++) {
		wait_for(&opened);
		free(inside());
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
		block = again(block);
		free(block);
	}
	pthread_join(thread, NULL);
	return control_end();
}
