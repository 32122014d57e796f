/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One call of each function. Bytes are those asked for: a product for calloc and reallocarray, and
 * for pvalloc the number before it rounds up.
 *
 *   malloc(10)               10   realloc(NULL, 30)          30   aligned_alloc(64, 128)   128
 *   calloc(2, 10)            20   reallocarray(NULL, 4, 10)  40   memalign(32, 70)          70
 *   posix_memalign(64, 50)   50   valloc(80)                 80   pvalloc(90)               90
 *
 * 9 calls, 10 + 20 + 30 + 40 + 50 + 128 + 70 + 80 + 90 = 518 bytes: the peak, 9 blocks. malloc 1,
 * calloc 1, realloc 2, aligned 5. The blocks of calloc, posix_memalign and pvalloc (160 bytes) are
 * freed: 358 left in 6 blocks. pvalloc's was the last allocated: temporary.
 *
 * N times: the peak is in the last round, upon what those before have left.
 */
#include <malloc.h>

#include "controls/control.h"

SITE void *by_malloc(void)
{
	return counted(malloc(10), 10);
}

SITE void *by_calloc(void)
{
	return counted(calloc(2, 10), 20);
}

SITE void *by_realloc(void)
{
	return counted(realloc(NULL, 30), 30);
}

SITE void *by_reallocarray(void)
{
	return counted(reallocarray(NULL, 4, 10), 40);
}

SITE void *by_posix_memalign(void)
{
	void *block = NULL;

	NEED(posix_memalign(&block, 64, 50) == 0);
	return counted(block, 50);
}

SITE void *by_aligned_alloc(void)
{
	return counted(aligned_alloc(64, 128), 128);
}

SITE void *by_memalign(void)
{
	return counted(memalign(32, 70), 70);
}

SITE void *by_valloc(void)
{
	return counted(valloc(80), 80);
}

SITE void *by_pvalloc(void)
{
	return counted(pvalloc(90), 90);
}

SITE void round_of_calls(void)
{
	void *block[9];

	block[0] = by_malloc();
	block[1] = by_calloc();
	block[2] = by_realloc();
	block[3] = by_reallocarray();
	block[4] = by_posix_memalign();
	block[5] = by_aligned_alloc();
	block[6] = by_memalign();
	block[7] = by_valloc();
	block[8] = by_pvalloc();
	for (int i = 0; i < 9; i++)
		NEED(block[i]);
	free(block[1]);
	free(block[4]);
	free(block[8]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		round_of_calls();
	return control_end();
}
