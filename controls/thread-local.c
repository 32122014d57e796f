/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Destructors of thread-local objects, as C++ registers them. For each libc allocates a note of 32
 * bytes (four words), and frees it when the destructor has returned.
 *
 *   main      pthread_create: a dtv (control.h), which later workers get again
 *   worker    N of them, one after the other
 *             object    malloc(64)
 *             arrange   registers it: a note of 32
 *             at_end    frees the 64, not temporary: the note came between
 *                       left: malloc(9), kept
 *             libc frees the note, not temporary: left came between
 *   main      object    malloc(64)
 *             arrange   a note of 32     live 96 + 9 N + DTV: the peak, 3 + N blocks; the last
 *                                        worker's was 9 less
 *   at_main_end, after main's return, frees the 64: not temporary
 *             libc frees the note: main's last call, so temporary
 *
 * 2 (1 + N) + N calls and the dtv; 96 (1 + N) + 9 N + DTV bytes, of which the control does not
 * count the notes and the dtv; 2 (1 + N) frees, 1 temporary; left 9 N in N blocks, and the dtv.
 *
 * What is between arrange and the note, and what calls a destructor, is libc: `~`.
 */
#include <pthread.h>

#include "controls/control.h"

int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso);
extern void *__dso_handle;

SITE void *object(void)
{
	return counted(malloc(64), 64);
}

SITE void *left(void)
{
	return counted(malloc(9), 9);
}

SITE void at_end(void *block)
{
	free(block);
	NEED(left());
}

SITE void at_main_end(void *block)
{
	free(block);
	__asm__ volatile("" ::: "memory");
}

SITE void arrange(void (*function)(void *), void *block)
{
	NEED(block && !__cxa_thread_atexit_impl(function, block, &__dso_handle));
}

SITE void *worker(void *unused)
{
	arrange(at_end, object());
	return unused;
}

SITE __attribute__((destructor)) void finish(void)
{
	control_end();
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	control_use_threads();
	while (work--) {
		pthread_t thread;

		NEED(!pthread_create(&thread, NULL, worker, NULL));
		pthread_join(thread, NULL);
	}
	arrange(at_main_end, object());
	return 0;
}
