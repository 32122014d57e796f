/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread whose hook was interrupted ends; a second takes its stream over, and is interrupted
 * again and again while a third begins and allocates: none may write to another's stream. Says how
 * many calls were made.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TRIPS 5000

extern __thread int bump_trip;

static _Atomic unsigned long calls;
static _Atomic int second_goes, second_ended;

__attribute__((noinline)) static void one(size_t size)
{
	free(malloc(size));
	calls++;
}

static void handler(int number)
{
	(void)number;
	one(33);
}

static void *first(void *arg)
{
	bump_trip = 1;
	one(10);
	return arg;
}

static void *second(void *arg)
{
	one(11);
	second_goes = 1;
	for (int i = 0; i < TRIPS; i++) {
		bump_trip = 1;
		one(12 + (size_t)i % 1000);
	}
	second_ended = 1;
	return arg;
}

static void *third(void *arg)
{
	while (!second_ended)
		one(14);
	return arg;
}

int main(void)
{
	pthread_t a, b, c;
	char text[40];
	int length;

	signal(SIGUSR1, handler);
	one(1);
	pthread_create(&a, NULL, first, NULL);
	pthread_join(a, NULL);
	pthread_create(&b, NULL, second, NULL);
	while (!second_goes)
		;
	pthread_create(&c, NULL, third, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	length = snprintf(text, sizeof(text), "calls %lu\n", (unsigned long)calls);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
