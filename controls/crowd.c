/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Eight threads at once, in any order, that meet twice in each round: when each holds its block,
 * and when each has freed it.
 *
 *   main     pthread_create 8 times: a dtv each (control.h)
 *   thread i (0 to 7), N rounds:
 *            churn   500 times malloc(1), freed: temporary. At most 8 of them live at once
 *            hold    malloc(1000 + i), grown by realloc to 2000 + i: temporary
 *            (all meet: live 8 * 2000 + 28 = 16028 + 8 DTV, in 16 blocks: the peak)
 *            free: temporary
 *            (all meet)
 *
 * The peak is there and nowhere else: until the last of them has grown its block, which is the
 * event that reaches it, the total is at least 1000 less. 8 * 502 = 4016 N calls and 8 dtv; 8 *
 * (500 + 3000) + 2 * 28 = 28056 N bytes and 8 DTV; 8 * 501 = 4008 N frees; 4016 N temporary. 9
 * threads.
 */
#include <pthread.h>

#include "controls/control.h"

#define THREADS 8

static pthread_barrier_t meeting;
static unsigned long work;

SITE void churn(void)
{
	for (int i = 0; i < 500; i++)
		free(counted(malloc(1), 1));
}

SITE void *hold(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE void *grow(void *old, size_t bytes)
{
	return counted(realloc(old, bytes), bytes);
}

SITE void *thread(void *number)
{
	const size_t i = (size_t)number;

	for (unsigned long times = 0; times < work; times++) {
		void *block;

		churn();
		block = hold(1000 + i);
		block = grow(block, 2000 + i);
		pthread_barrier_wait(&meeting);
		free(block);
		pthread_barrier_wait(&meeting);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[THREADS];

	work = control_work(argc, argv);
	control_use_threads();
	pthread_barrier_init(&meeting, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		NEED(!pthread_create(&id[i], NULL, thread, (void *)i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	return control_end();
}
