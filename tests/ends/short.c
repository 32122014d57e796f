/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 100 threads that stay, then 2,000 short ones, one after the other. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t begun;

static void *stays(void *arg)
{
	free(malloc(7));
	sem_post(&begun);
	pause();
	return arg;
}

static void *is_short(void *arg)
{
	free(malloc(10));
	return arg;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	sem_init(&begun, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < 100; i++) {
		pthread_create(&thread, &attr, stays, NULL);
		sem_wait(&begun);
	}
	for (i = 0; i < 2000; i++) {
		pthread_create(&thread, &attr, is_short, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
