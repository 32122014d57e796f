/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fork_crowd CHILDREN: forks so many children, one after the other, while three threads allocate
 * without a pause. Each child makes 20 calls of `work`, a malloc and a free each, and frees a block
 * that its parent allocated. Exit status: how many children did not end as they should, 99 at most.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3
#define CALLS 20

static volatile int is_over;
static __attribute__((noinline)) void work(size_t bytes)
{
	void *volatile block = malloc(bytes);

	free(block);
}

static void *allocate(void *unused)
{
	(void)unused;
	while (!is_over)
		work(10);
	return NULL;
}

static __attribute__((noinline)) int child_fails(void)
{
	void *volatile inherited = malloc(30);
	const pid_t pid = fork();
	int status, i;

	if (pid == 0) {
		free(inherited);
		for (i = 0; i < CALLS; i++)
			work(20);
		_exit(0);
	}
	free(inherited);
	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 0, failed = 0, i;
	pthread_t threads[THREADS];

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, allocate, NULL))
			return 99;
	while (children--)
		failed += child_fails();
	is_over = 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return failed < 99 ? failed : 99;
}
