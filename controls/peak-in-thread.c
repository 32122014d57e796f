/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The peak is in a thread, while main holds blocks and waits; main alone comes close, before and
 * after.
 *
 *   main     before: malloc(7990), freed                           live 7990
 *   main     held: malloc(1000)                                    live 1000
 *   main     pthread_create: a dtv (control.h), which later rounds get again
 *   worker   x: malloc(5000)                                       live 6000 + DTV
 *   worker   wide: realloc to 7000                                 live 8000 + DTV: the peak, 3
 * blocks worker   narrow: realloc to 10                                 live 1010 + DTV worker free
 * live 1000 + DTV main     frees held's                                          live    0 + DTV
 *   main     after: malloc(7995), freed                            live 7995 + DTV
 *
 * 6 calls and the dtv, 7990 + 1000 + 5000 + 7000 + 10 + 7995 = 28995 bytes, 4 frees. Temporary: all
 * of before's, the worker's and after's blocks, 5. held's: in the first round the dtv comes
 * between, in later ones nothing does: N - 1. N times, N threads: the same peak.
 */
#include <pthread.h>

#include "controls/control.h"

SITE void *before(void)
{
	return counted(malloc(7990), 7990);
}

SITE void *held(void)
{
	return counted(malloc(1000), 1000);
}

SITE void *x(void)
{
	return counted(malloc(5000), 5000);
}

SITE void *wide(void *old)
{
	return counted(realloc(old, 7000), 7000);
}

SITE void *narrow(void *old)
{
	return counted(realloc(old, 10), 10);
}

SITE void *after(void)
{
	return counted(malloc(7995), 7995);
}

SITE void *worker(void *unused)
{
	free(narrow(wide(x())));
	return unused;
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	control_use_threads();
	while (work--) {
		pthread_t thread;
		void *block;

		free(before());
		block = held();
		NEED(!pthread_create(&thread, NULL, worker, NULL));
		pthread_join(thread, NULL);
		free(block);
		free(after());
	}
	return control_end();
}
