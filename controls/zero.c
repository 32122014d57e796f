/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of 0 bytes are blocks, free(NULL) is nothing, and a realloc of NULL to 0 allocates.
 *
 *   some      malloc(16)                     live 16, 1 block: the peak, as nothing is greater
 *             later
 *   nothing   malloc(0), calloc(0, 8), calloc(8, 0), realloc(NULL, 0), memalign(64, 0): 5 calls, 0
 *             bytes
 *   free(NULL) 5 times                       nothing
 *   free of the malloc(0) and of the calloc(8, 0)
 *
 * 6 calls of 16 bytes in all: malloc 2, calloc 2, realloc 1, aligned 1; 2 frees; 4 blocks left, 16
 * bytes. Neither freed block was the last one allocated: nothing is temporary.
 *
 * N times: the peak is in the last round, 16 each and the 3 empty blocks of each round before.
 */
#include <malloc.h>

#include "controls/control.h"

static void *block[5];

SITE void some(void)
{
	NEED(counted(malloc(16), 16));
}

SITE void nothing(void)
{
	block[0] = counted(malloc(opaque(0)), 0);
	block[1] = counted(calloc(opaque(0), 8), 0);
	block[2] = counted(calloc(8, opaque(0)), 0);
	block[3] = counted(realloc(NULL, opaque(0)), 0);
	block[4] = counted(memalign(64, opaque(0)), 0);
	for (int i = 0; i < 5; i++)
		NEED(block[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		some();
		nothing();
		for (int i = 0; i < 5; i++)
			free(blind(NULL));
		free(block[0]);
		free(block[2]);
	}
	return control_end();
}
