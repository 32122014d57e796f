/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends by exit(5) while threads allocate, some for the first time. With an argument one of them calls _exit(5), which
 * comes before, within or after the end of the main thread.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *arg)
{
	int i;

	for (i = 0; i < 2000; i++)
		free(malloc((size_t)i));
	if (arg)
		_exit(5);
	for (;;)
		free(malloc(9));
	return NULL;
}

static void many(void)
{
	int i;

	for (i = 0; i < 3000; i++)
		free(malloc((size_t)i));
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	(void)argv;
	atexit(many);
	for (i = 0; i < 6; i++)
		pthread_create(&thread, NULL, work, NULL);
	if (argc > 1)
		pthread_create(&thread, NULL, work, &thread);
	many();
	exit(5);
}
