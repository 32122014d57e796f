/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal in the middle of an allocator's function, whose handler jumps out of it: the call has
 * not been. The allocator is the control's own, controls/lib/scripted.c, which raises the signal
 * before it does anything.
 *
 *   outer    malloc(100), and in it > on_signal: inside malloc(4), kept, siglongjmp to main
 *   after    malloc(10), kept, three calls further down
 *   plain    malloc(300)
 *   wider    realloc of it to 500, and in it > on_signal: the same. The block stays
 *   give     free of it, and in it > on_signal: the same. The block stays
 *   free of it, not temporary: on_signal's calls came after plain's
 *
 * 5 N calls, 3 * 4 + 10 + 300 = 322 N bytes, N frees; 22 N bytes left in 4 N blocks. The peak is in
 * give: 300 + 22 N in 1 + 4 N blocks.
 */
#include <setjmp.h>
#include <signal.h>

#include "controls/control.h"

void *__libc_malloc(size_t bytes);
extern void *(*scripted_malloc)(size_t bytes);
extern void *(*scripted_realloc)(void *old, size_t bytes);
extern void (*scripted_free)(void *block);

static sigjmp_buf back;

SITE void *inside(void)
{
	return counted(malloc(4), 4);
}

SITE void on_signal(int signal)
{
	(void)signal;
	NEED(inside());
	siglongjmp(back, 1);
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

SITE void *script_realloc(void *old, size_t bytes)
{
	(void)bytes;
	halfway();
	return old;
}

SITE void script_free(void *block)
{
	halfway();
	blind(block);
}

SITE void *outer(void)
{
	return counted(malloc(100), 100);
}

SITE void after(int levels)
{
	if (levels)
		after(levels - 1);
	else
		NEED(counted(malloc(10), 10));
	__asm__ volatile("" ::: "memory");
}

SITE void *plain(void)
{
	return counted(malloc(300), 300);
}

SITE void *wider(void *old)
{
	return counted(realloc(blind(old), 500), 500);
}

SITE void give(void *block)
{
	free(blind(block));
	__asm__ volatile("" ::: "memory");
}

SITE void one_round(void)
{
	void *volatile block;

	if (!sigsetjmp(back, 1))
		outer();
	after(2);
	block = plain();
	if (!sigsetjmp(back, 1))
		wider(block);
	scripted_free = script_free;
	if (!sigsetjmp(back, 1))
		give(block);
	scripted_free = NULL;
	free(block);
}

int main(int argc, char **argv)
{
	const unsigned long work = control_work(argc, argv);
	struct sigaction action = { .sa_handler = on_signal };

	NEED(!sigaction(SIGUSR1, &action, NULL));
	scripted_malloc = script_malloc;
	scripted_realloc = script_realloc;
	for (unsigned long i = 0; i < work; i++)
		one_round();
	return control_end();
}
