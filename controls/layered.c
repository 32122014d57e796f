/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator whose functions call each other by their public names, which come by whoever
 * interposes them: controls/lib/layered.c. A call counts once, as what the program called.
 *
 *   zeroed    calloc(3, 100): malloc inside                    live  300
 *   larger    realloc to 1000: malloc and free inside          live 1000   temporary: zeroed's
 *   aligned   posix_memalign(64, 50): aligned_alloc inside     live 1050   the peak, 2 blocks
 *   realloc of the 1000 to 0: free inside                      live   50   a free
 *   free of the 50                                             live    0   temporary
 *   fresh     realloc(NULL, 8): malloc inside, free(NULL)      live    8
 *   free of the 8                                              live    0   temporary
 *
 * 4 N calls, 1358 N bytes, 3 N frees, 3 N temporary. N times: the same peak.
 */
#include "controls/control.h"

SITE void *zeroed(void)
{
	return counted(calloc(3, 100), 300);
}

SITE void *larger(void *old)
{
	return counted(realloc(old, 1000), 1000);
}

SITE void *aligned(void)
{
	void *block = NULL;

	NEED(!posix_memalign(&block, 64, 50));
	return counted(block, 50);
}

SITE void *fresh(void)
{
	return counted(realloc(NULL, 8), 8);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		void *first = larger(zeroed());
		void *second = aligned();

		NEED(first && second);
		NEED(!counted(realloc(blind(first), opaque(0)), 0));
		free(second);
		free(fresh());
	}
	return control_end();
}
