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
 *   give     free of the 500, and in it > on_signal: the same. The block is given back when the
 * call begins, too: temporary, for wider's handler came before it was there left     malloc(1) as
 * usual: not interrupted, freed: temporary
 *
 * 9 N calls, 3 * 34 + 601 = 703 N bytes, 5 N frees, 6 N temporary; 12 N bytes left in 3 N blocks.
 * live is 34, 4, 104, 134, 108, 508: the peak, at the end of wider; then 8, 38, 12. With N: 508 +
 * 12 (N - 1) in 3 N blocks.
 */
#include <signal.h>

#include "controls/control.h"

void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
extern void *(*scripted_malloc)(size_t bytes);
void __libc_free(void *block);
extern void *(*scripted_realloc)(void *old, size_t bytes);
extern void (*scripted_free)(void *block);

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

SITE void script_free(void *block)
{
	scripted_free = NULL; /* once */
	halfway();
	__libc_free(block);
}

SITE void *outer(void)
{
	return counted(malloc(100), 100);
}

SITE void *wider(void *old)
{
	return counted(realloc(old, 500), 500);
}

SITE void give(void *block)
{
	free(block);
	__asm__ volatile("" ::: "memory");
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
		scripted_free = script_free;
		give(block);
		free(left());
	}
	return control_end();
}
