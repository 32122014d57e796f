/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jumps over frames that hold blocks: what was allocated stays, and later stacks are those of where
 * the jump went.
 *
 *   dive      10 levels, each malloc(level): 1 + ... + 10 = 55, then longjmp to main
 *   after     malloc(1000)                                                live 1055: 11 blocks
 *   frees     those of the levels; the one of 10 is not temporary: after came between
 *   dive      3 levels: 1 + 2 + 3 = 6, then raise > on_signal: inside malloc(7), siglongjmp to main
 *   after     malloc(1000)                                                live 2013: 2 + 4 blocks
 *   frees     all: the last after's first: temporary
 *   doomed    ends in the call of leave, which does not return: malloc(50) and longjmp; freed by
 *             main: temporary. Its return address is outside of doomed
 *
 * 10 + 1 + 3 + 1 + 1 + 1 = 17 calls; 55 + 1000 + 6 + 7 + 1000 + 50 = 2118 bytes; 17 frees; 2
 * temporary. The peak is 2013: after 2000, dive 6, inside 7. N times the same.
 */
#include <setjmp.h>
#include <signal.h>

#include "controls/control.h"

static jmp_buf back;
static sigjmp_buf back_from_signal;
static void *block[16];
static volatile int blocks;

static void keep(void *p)
{
	NEED(p);
	block[blocks++] = p;
}

SITE void dive(size_t level, size_t last)
{
	keep(counted(malloc(level), level));
	if (level < last)
		dive(level + 1, last);
	else if (last == 10)
		longjmp(back, 1);
	else
		raise(SIGUSR1);
	__asm__ volatile("" ::: "memory");
}

SITE void *after(void)
{
	return counted(malloc(1000), 1000);
}

SITE void *inside(void)
{
	return counted(malloc(7), 7);
}

SITE void on_signal(int signal)
{
	(void)signal;
	keep(inside());
	siglongjmp(back_from_signal, 1);
}

SITE __attribute__((noreturn)) void leave(void)
{
	keep(counted(malloc(50), 50));
	longjmp(back, 1);
}

SITE void doomed(void)
{
	leave();
}

static void free_all(void)
{
	while (blocks)
		free(block[--blocks]);
}

int main(int argc, char **argv)
{
	const unsigned long work = control_work(argc, argv);
	struct sigaction action = { .sa_handler = on_signal };

	NEED(!sigaction(SIGUSR1, &action, NULL));
	for (volatile unsigned long i = 0; i < work; i++) {
		static void *large[2];

		if (!setjmp(back))
			dive(1, 10);
		large[0] = after();
		free_all();
		if (!sigsetjmp(back_from_signal, 1))
			dive(1, 3);
		large[1] = after();
		free(large[1]);
		free(large[0]);
		free_all();
		if (!setjmp(back))
			doomed();
		free_all();
	}
	return control_end();
}
