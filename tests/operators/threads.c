/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four threads with 100 blocks each, built with ThreadSanitizer. */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
	int i;

	for (i = 0; i < 100; i++)
		free(malloc(1000));
	return arg;
}

int main(void)
{
	pthread_t thread[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
