/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reallocarray, which is realloc of a product: counted once, though glibc's own calls realloc.
 *
 *   list       reallocarray(NULL, 8, 8)              64   live   64
 *   longer     to 16 * 8                            128   live  128: the peak
 *   overflow   of the list and of NULL, SIZE_MAX / 4 * 8: ENOMEM             2 failures
 *   too_big    of the list, 1 * 2^50: the product fits, realloc refuses      1 failure
 *   shorter    to 4 * 8                              32   live   32
 *   free                                                  live    0
 *
 * 3 calls, 224 bytes, 3 failures, 1 free; each block is freed with no other call since: 3
 * temporary. N times: the same peak.
 */
#include <errno.h>
#include <stdint.h>

#include "controls/control.h"

SITE char *list(void)
{
	return (char *)counted(reallocarray(NULL, 8, 8), 64);
}

SITE char *longer(char *old)
{
	return (char *)counted(reallocarray(old, 16, 8), 128);
}

SITE char *shorter(char *old)
{
	return (char *)counted(reallocarray(old, 4, 8), 32);
}

SITE void overflow(void *old)
{
	errno = 0;
	NEED(!counted(reallocarray(blind(old), opaque(SIZE_MAX / 4), 8), 0) && errno == ENOMEM);
	errno = 0;
	NEED(!counted(reallocarray(NULL, opaque(SIZE_MAX / 4), 8), 0) && errno == ENOMEM);
}

SITE void too_big(void *old)
{
	errno = 0;
	NEED(!counted(reallocarray(blind(old), 1, opaque((size_t)1 << 50)), 0) && errno == ENOMEM);
}

SITE void resize(void)
{
	char *block = list();

	NEED(block);
	block = longer(block);
	NEED(block);
	block[127] = 7;
	overflow(block);
	too_big(block);
	NEED(block[127] == 7);
	block = shorter(block);
	NEED(block);
	free(block);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		resize();
	return control_end();
}
