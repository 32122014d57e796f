/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal in the middle of malloc, whose handler ends the process: what handlers of atexit do then
 * is recorded, the call that never returned is not. The allocator is the control's own,
 * controls/lib/scripted.c.
 *
 *   early     malloc(50), N times, kept                        live 50 N
 *   outer     malloc(100), and in it > on_signal: exit(0) > at_exit
 *             frees the last 50: temporary, no call since has returned
 *             late: malloc(9), N times, kept                   live 50 (N - 1) + 9 N, left
 *
 * 2 N calls, 59 N bytes, 1 free, 1 temporary; 2 N - 1 blocks left. The peak is 50 N in N blocks
 * (for N < 6).
 */
#include <signal.h>

#include "controls/control.h"

void *__libc_malloc(size_t bytes);
extern void *(*scripted_malloc)(size_t bytes);

static unsigned long work;
static void *newest;

SITE void *early(void)
{
	return counted(malloc(50), 50);
}

SITE void *late(void)
{
	return counted(malloc(9), 9);
}

SITE void at_exit(void)
{
	free(newest);
	for (unsigned long i = 0; i < work; i++)
		NEED(late());
	control_end();
}

SITE void on_signal(int signal)
{
	(void)signal;
	exit(0);
}

SITE void halfway(void)
{
	raise(SIGUSR1);
	_exit(5);
}

SITE void *script_malloc(size_t bytes)
{
	if (bytes == 100)
		halfway();
	return blind(__libc_malloc(bytes));
}

SITE void *outer(void)
{
	return counted(malloc(100), 100);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };

	work = control_work(argc, argv);
	NEED(work < 6 && !atexit(at_exit) && !sigaction(SIGUSR1, &action, NULL));
	scripted_malloc = script_malloc;
	for (unsigned long i = 0; i < work; i++)
		newest = early();
	outer();
	return 5;
}
