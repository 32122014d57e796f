/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames that are left without returning: longjmp over many of them, and siglongjmp out of a
 * handler of SIGSEGV, on the normal stack and on an alternate one.
 */
#include <setjmp.h>
#include <signal.h>

#include "tests/hazards/hazard.h"

static jmp_buf back;
static sigjmp_buf back_from_signal;
static volatile int *volatile nowhere;

static SITE void dive(int n)
{
	take((size_t)n + 1);
	if (n > 0)
		dive(n - 1);
	else if (n == 0)
		longjmp(back, 1);
	NOT_LAST;
}

static SITE void dive_and_fault(int n)
{
	take((size_t)n + 1);
	if (n == 0)
		*nowhere = 1;
	else
		dive_and_fault(n - 1);
	NOT_LAST;
}

static SITE void in_handler(int n)
{
	if (n)
		in_handler(n - 1);
	take(20);
	NOT_LAST;
}

static void on_fault(int number)
{
	in_handler(number % 4);
	siglongjmp(back_from_signal, 1);
}

static SITE void fault(int n, int flags)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = flags };

	NEED(!sigaction(SIGSEGV, &action, NULL));
	if (!sigsetjmp(back_from_signal, 1))
		dive_and_fault(n);
	take(3);
	NOT_LAST;
}

int main(void)
{
	static char memory[65536];
	const stack_t other = { .ss_sp = memory, .ss_size = sizeof(memory) };
	volatile int i;

	NEED(!sigaltstack(&other, NULL));
	for (i = 0; i < 40; i++) {
		if (!setjmp(back))
			dive(i);
		take(2);
		fault(i % 13, 0);
		fault(i % 7, SA_ONSTACK);
	}
	return hazard_end();
}
