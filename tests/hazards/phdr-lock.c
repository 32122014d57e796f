/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * While one thread is in a callback of dl_iterate_phdr, and so holds a lock of the loader, others
 * allocate from addresses never seen before, one of them for the first time at all. A recorder that
 * takes that lock waits for ever; here it is found out after some seconds.
 */
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "tests/hazards/hazard.h"

#define SECONDS 20

static sem_t begin, done;

#define FRESH(n)                         \
	static SITE void fresh_##n(void) \
	{                                \
		take(n);                 \
		NOT_LAST;                \
	}
FRESH(1)
FRESH(2)
FRESH(3)
FRESH(4)
FRESH(5)
FRESH(6)
FRESH(7)
FRESH(8)

static void wait_for(sem_t *what)
{
	struct timespec until;

	NEED(!clock_gettime(CLOCK_REALTIME, &until));
	until.tv_sec += SECONDS;
	while (sem_timedwait(what, &until))
		NEED(0);
}

static int hold(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info;
	(void)size;
	(void)unused;
	sem_post(&begin);
	wait_for(&done);
	return 1;
}

static void *old_thread(void *unused)
{
	static void (*const fresh[])(void) = { fresh_1, fresh_2, fresh_3, fresh_4 };
	int i;

	(void)unused;
	take(1);
	for (i = 0; i < 4; i++) {
		wait_for(&begin);
		fresh[i]();
		sem_post(&done);
	}
	return NULL;
}

static void *new_thread(void *arg)
{
	void (**fresh)(void) = arg;

	wait_for(&begin);
	(*fresh)();
	sem_post(&done);
	return NULL;
}

int main(void)
{
	void (*fresh[])(void) = { fresh_5, fresh_6, fresh_7, fresh_8 };
	pthread_t thread;
	int i;

	NEED(!sem_init(&begin, 0, 0) && !sem_init(&done, 0, 0));
	NEED(!pthread_create(&thread, NULL, old_thread, NULL));
	hazard_calls++; /* its dtv */
	for (i = 0; i < 4; i++)
		NEED(dl_iterate_phdr(hold, NULL) == 1);
	NEED(!pthread_join(thread, NULL));
	for (i = 0; i < 4; i++) {
		NEED(!pthread_create(&thread, NULL, new_thread, &fresh[i]));
		NEED(dl_iterate_phdr(hold, NULL) == 1);
		NEED(!pthread_join(thread, NULL));
	}
	return hazard_end();
}
