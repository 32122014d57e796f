/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inherited WHOSE FREES: a fork child with four threads frees blocks: "parent", those of its
 * parent, which its trace does not know, or "own", its own. Says what the frees took of processor
 * time, in ns each, and by how many KB the anonymous memory of the child grew meanwhile.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

static void **block;
static unsigned long frees;

static void *free_some(void *arg)
{
	const unsigned long first = (unsigned long)arg;

	for (unsigned long i = first; i < frees; i += THREADS)
		free(block[i]);
	return NULL;
}

static void allocate_all(void)
{
	for (unsigned long i = 0; i < frees; i++)
		block[i] = malloc(16 + i % 64);
}

static double processor_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return 1e9 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static long anonymous_kb(void)
{
	char line[200];
	long kb = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "RssAnon: %ld", &kb);
	if (status)
		fclose(status);
	return kb;
}

static void child(int owns)
{
	pthread_t thread[THREADS];
	double ns;
	long kb;

	if (owns)
		allocate_all();
	kb = anonymous_kb();
	ns = processor_ns();
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, free_some, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("ns %.1f\nkb %ld\n", (processor_ns() - ns) / (double)frees, anonymous_kb() - kb);
	exit(0);
}

int main(int argc, char **argv)
{
	const int owns = argc == 3 && strcmp(argv[1], "own") == 0;
	int status;

	if (argc != 3)
		return 2;
	frees = strtoul(argv[2], NULL, 10);
	block = calloc(frees, sizeof(*block));
	if (!owns)
		allocate_all();
	if (fork() == 0)
		child(owns);
	return wait(&status) < 0 || status != 0;
}
