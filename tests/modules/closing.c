/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * closing MODE LIBRARY PLUGIN...: what a pair of malloc and free costs before a dlclose of LIBRARY,
 * and while one is at work, or might be thought to be: "slow", in its destructor; "fork", in a
 * child forked meanwhile by another thread; "return", in a child forked by the destructor, once it
 * is back; "leave", after the destructor left by longjmp. The plugins are loaded before. Prints
 * both, in ns, the least of many rounds.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *mode;
static jmp_buf away;
static int entered[2], go_on[2];
static long before, meanwhile;
static pid_t child = -1;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static long cost(void)
{
	long least = 1000000000;

	for (int round = 0; round < 40; round++) {
		const long start = now();
		long took;

		for (int i = 0; i < 200; i++) {
			void *block = malloc(32);

			__asm__ volatile("" ::"r"(block) : "memory");
			free(block);
		}
		took = (now() - start) / 200;
		least = took < least ? took : least;
	}
	return least;
}

static int say(void)
{
	char text[80];
	int length = snprintf(text, sizeof(text), "before %ld\nmeanwhile %ld\n", before, meanwhile);

	return write(STDOUT_FILENO, text, (size_t)length) != length;
}

/* The library's destructor calls it. */
void at_close(void);
void at_close(void)
{
	char c;

	if (!strcmp(mode, "slow"))
		meanwhile = cost();
	if (!strcmp(mode, "leave"))
		longjmp(away, 1);
	if (!strcmp(mode, "return")) {
		child = fork();
		if (!child)
			free(malloc(1));
	}
	if (!strcmp(mode, "fork") && (write(entered[1], "", 1) != 1 || read(go_on[0], &c, 1) != 1))
		abort();
}

static void *close_it(void *library)
{
	dlclose(library);
	return NULL;
}

static void fork_meanwhile(void *library)
{
	pthread_t thread;
	char c;

	if (pipe(entered) || pipe(go_on) || pthread_create(&thread, NULL, close_it, library) ||
	    read(entered[0], &c, 1) != 1)
		abort();
	child = fork();
	if (!child)
		return;
	if (write(go_on[1], "", 1) != 1)
		abort();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	void *library;
	int status = 0;

	if (argc < 3)
		return 2;
	mode = argv[1];
	for (int i = 2; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW))
			return 3;
	library = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD);
	dlclose(library);
	before = cost();
	if (!strcmp(mode, "fork"))
		fork_meanwhile(library);
	else if (!setjmp(away))
		dlclose(library);
	if (child > 0)
		return waitpid(child, &status, 0) != child || status;
	if (strcmp(mode, "slow"))
		meanwhile = cost();
	say();
	_exit(0);
}
