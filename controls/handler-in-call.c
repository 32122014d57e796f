/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal in the middle of an allocator's function, whose handler allocates and frees. The
 * allocator is the control's own, controls/lib/scripted.c, and raises the signal itself, in
 * halfway.
 *
 *   outer    malloc(100), and in it > on_signal: brief malloc(30), freed: temporary; kept malloc(4)
 *            The block of 100 is there when its call returns: after kept's
 *   wider    realloc of it to 500, and in it > on_signal: the same. The old block counts in the
 *            middle, the new one at the end; a block is given back when the call begins, so the 100
 *            are temporary
 *   free of the 500: temporary, for the handler's calls came before it was there
 *   left     malloc(1) as usual: not interrupted, freed: temporary
 *
 * 7 N calls, 2 * 34 + 601 = 669 N bytes, 4 N frees, 5 N temporary; 8 N bytes left in 2 N blocks.
 * live is 4, 104, 104 + 30, 108, 508: the peak, at the end of wider: 500 + 8 N in 1 + 2 N blocks.
 */
#include <signal.h>

#include "controls/control.h"

void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
extern void *(*scripted_malloc)(size_t bytes);
extern void *(*scripted_realloc)(void *old, size_t bytes);

SITE void *brief(void)
{
	return counted(malloc(30), 30);
}

SITE void *kept(void)
{
	return counted(malloc(4), 4);
}

SITE void on_signal(int signal)
{
	(void)signal;
	free(brief());
	NEED(kept());
}

SITE void halfway(void)
{
	NEED(!raise(SIGUSR1));
}

SITE void *script_malloc(size_t bytes)
{
	if (bytes == 100)
		halfway();
	return blind(__libc_malloc(bytes));
}

SITE void *script_realloc(void *old, size_t bytes)
{
	halfway();
	return blind(__libc_realloc(old, bytes));
}

SITE void *outer(void)
{
	return counted(malloc(100), 100);
}

SITE void *wider(void *old)
{
	return counted(realloc(old, 500), 500);
}

SITE void *left(void)
{
	return counted(malloc(1), 1);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);
	struct sigaction action = { .sa_handler = on_signal };

	NEED(!sigaction(SIGUSR1, &action, NULL));
	scripted_malloc = script_malloc;
	scripted_realloc = script_realloc;
	while (work--) {
		void *block = outer();

		block = wider(block);
		free(block);
		free(left());
	}
	return control_end();
}
