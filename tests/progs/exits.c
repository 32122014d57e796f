/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exits HOW: ends that a tracer can get wrong. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BYTES (8ul << 20)

static volatile sig_atomic_t signals;

/* Memory that is there only from now on. */
static void touch(void)
{
	char *at = malloc(BYTES);

	if (!at)
		_exit(99);
	memset(at, 1, BYTES);
	__asm__ volatile("" : : "r"(at) : "memory");
}

static void *end_later(void *unused)
{
	usleep(50000);
	touch();
	exit(5);
	return unused;
}

static void *execute(void *unused)
{
	execl("/proc/self/exe", "exits", "touch", (char *)NULL);
	_exit(99);
	return unused;
}

static void start(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL) != 0)
		_exit(99);
}

static void count(int number)
{
	signals += number == SIGALRM;
}

/* For half a second, each millisecond one. */
static int be_interrupted(void)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct timespec now, end;

	signal(SIGALRM, count);
	setitimer(ITIMER_REAL, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += 500000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	printf("%d\n", (int)signals);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "touch") == 0) { /* and end, with 6 */
		touch();
		return 6;
	}
	if (strcmp(how, "first") == 0) { /* the first thread ends before the other */
		start(end_later);
		pthread_exit(NULL);
	}
	if (strcmp(how, "other") == 0) { /* the other one ends the process */
		start(end_later);
		for (;;)
			pause();
	}
	if (strcmp(how, "execute") == 0) { /* and goes on as another program, in its other thread */
		start(execute);
		for (;;)
			pause();
	}
	if (strcmp(how, "signals") == 0)
		return be_interrupted();
	fprintf(stderr, "usage: exits touch|first|other|execute|signals\n");
	return 2;
}
