/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two detached threads: one ends long before main, one still runs when the process ends.
 *
 *   main    early: malloc(10), kept                                 live  10
 *   main    creates both: 2 dtv (control.h), which stay             live  10 + 2 DTV
 *   short   N times: brief: malloc(500), freed                      live 510 + 2 DTV
 *           kept: malloc(20), and ends                              live  30 + 2 DTV
 *   long    (when the short one has gone) N times
 *           own: malloc(300), kept                                  live  30 + 300 N + 2 DTV
 *           and waits for ever
 *   main    frees the short one's 20, and ends the process          live  10 + 300 N + 2 DTV, left
 *
 * N + 1 + N + 1 calls and 2 dtv; 800 N + 30 + 2 DTV bytes; N + 1 frees, N temporary. The peak is
 * short's 510 for N = 1 (2 blocks and the dtv), long's 630 for N = 2 (4 and the dtv): LATE (0 or
 * 1), which the control says, chooses.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "controls/control.h"

static unsigned long work;
static sem_t begin_short, begin_long, done;
static atomic_int short_tid;
static void *block;

SITE void *early(void)
{
	return counted(malloc(10), 10);
}

SITE void *brief(void)
{
	return counted(malloc(500), 500);
}

SITE void *kept(void)
{
	return counted(malloc(20), 20);
}

SITE void *own(void)
{
	return counted(malloc(300), 300);
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

SITE void *short_one(void *unused)
{
	atomic_store(&short_tid, (int)syscall(SYS_gettid));
	wait_for(&begin_short);
	for (unsigned long i = 0; i < work; i++)
		free(brief());
	block = kept();
	sem_post(&done);
	return unused;
}

SITE void *long_one(void *unused)
{
	sem_t never;

	wait_for(&begin_long);
	for (unsigned long i = 0; i < work; i++)
		NEED(own());
	sem_post(&done);
	NEED(!sem_init(&never, 0, 0));
	for (;;)
		wait_for(&never);
	return unused;
}

/* Its thread has gone, not only told that it is done. */
static void wait_for_end(int tid)
{
	const struct timespec time = { .tv_nsec = 100000 };

	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		nanosleep(&time, NULL);
}

SITE void detach(void *(*function)(void *))
{
	pthread_t thread;

	NEED(!pthread_create(&thread, NULL, function, NULL));
	NEED(!pthread_detach(thread));
}

int main(int argc, char **argv)
{
	work = control_work(argc, argv);
	control_use_threads();
	sem_init(&begin_short, 0, 0);
	sem_init(&begin_long, 0, 0);
	sem_init(&done, 0, 0);
	NEED(early());
	detach(short_one);
	detach(long_one);
	sem_post(&begin_short);
	wait_for(&done);
	wait_for_end(atomic_load(&short_tid));
	sem_post(&begin_long);
	wait_for(&done);
	free(block);
	control_say("LATE", 30 + 300 * work > 510);
	return control_end();
}
