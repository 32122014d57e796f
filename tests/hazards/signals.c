/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Handlers that allocate: raised, on the normal and on an alternate stack, one in another, and by a
 * timer at any instruction of a loop that allocates too.
 */
#include <signal.h>
#include <sys/time.h>

#include "tests/hazards/hazard.h"

#define TICKS 300

static volatile sig_atomic_t ticks;

static SITE void in_handler(int n)
{
	if (n)
		in_handler(n - 1);
	take((size_t)n + 1);
	NOT_LAST;
}

static void on_plain(int number)
{
	in_handler(number % 3);
}

static void on_nested(int number)
{
	in_handler(1);
	raise(SIGUSR2);
	in_handler(number % 2);
}

static void on_tick(int number)
{
	(void)number;
	ticks++;
	in_handler(2);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	NEED(!sigaction(number, &action, NULL));
}

static SITE void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		raise(SIGUSR1);
	take(1);
	NOT_LAST;
}

static SITE unsigned spin(unsigned n)
{
	unsigned i, sum = 0;

	for (i = 0; i < n; i++)
		sum = sum * 31 + i;
	if (n % 4)
		take(n);
	return sum;
}

int main(void)
{
	static char memory[65536];
	const stack_t other = { .ss_sp = memory, .ss_size = sizeof(memory) };
	const struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	volatile unsigned sum = 0;
	unsigned i;

	NEED(!sigaltstack(&other, NULL));
	for (i = 0; i < 30; i++) {
		handle(SIGUSR2, on_plain, i & 1 ? SA_ONSTACK : 0);
		handle(SIGUSR1, i & 2 ? on_nested : on_plain, i & 4 ? SA_ONSTACK : 0);
		deep((int)i % 10);
	}
	handle(SIGALRM, on_tick, SA_RESTART);
	NEED(!setitimer(ITIMER_REAL, &often, NULL));
	for (i = 0; ticks < TICKS / 2; i++)
		sum += spin(i % 1000);
	handle(SIGALRM, on_tick, SA_RESTART | SA_ONSTACK);
	for (i = 0; ticks < TICKS; i++)
		sum += spin(i % 1000);
	NEED(!setitimer(ITIMER_REAL, &never, NULL));
	return hazard_end();
}
