/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Destructors of thread-specific data, which run after the thread's function has returned, and run
 * again when one of them has set a value.
 *
 *   main        pthread_create: a dtv (control.h), which later threads get again
 *   worker      value: malloc(100), set                                      live  100
 *   at_return   (first time) frees the 100: temporary
 *               brief: malloc(900), freed: temporary                         live  900: the peak
 *               again: malloc(40), set                                       live   40
 *   at_return   (second time) frees the 40: temporary
 *               left: malloc(3), kept                                        live    3
 *
 * N times, each by a thread of its own: 4 N calls and the dtv, 1043 N bytes, 3 N frees, all
 * temporary; 3 N left in N blocks, and the dtv. The peak is in the last round: 900 + 3 (N - 1) +
 * DTV in 1 + N blocks. 1 + N threads.
 *
 * Destructors are called by libc, with names only where its debug files are installed: `~`.
 */
#include <pthread.h>

#include "controls/control.h"

static pthread_key_t key;
static __thread int times;

SITE void *value(void)
{
	return counted(malloc(100), 100);
}

SITE void *brief(void)
{
	return counted(malloc(900), 900);
}

SITE void *again(void)
{
	return counted(malloc(40), 40);
}

SITE void *left(void)
{
	return counted(malloc(3), 3);
}

SITE void at_return(void *block)
{
	free(block);
	if (!times++) {
		free(brief());
		NEED(!pthread_setspecific(key, again()));
	} else {
		NEED(left());
	}
}

SITE void *worker(void *unused)
{
	NEED(!pthread_setspecific(key, value()));
	return unused;
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	control_use_threads();
	NEED(!pthread_key_create(&key, at_return));
	while (work--) {
		pthread_t thread;

		NEED(!pthread_create(&thread, NULL, worker, NULL));
		pthread_join(thread, NULL);
	}
	return control_end();
}
