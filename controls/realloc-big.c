/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Realloc of blocks that have a mapping of their own (over 128 KiB under glibc): mremap, and the
 * move from a mapping into the heap. The old block and the new one never both count.
 *
 *   map      P = malloc(1 MiB)          live 1,048,576
 *   widen    P = realloc(P, 4 MiB)      live 4,194,304   the peak: one block
 *   narrow   P = realloc(P, 2 MiB)      live 2,097,152
 *   home     P = realloc(P, 64)         live        64
 *   free(P)                             live         0
 *
 * 1 malloc + 3 realloc, 1048576 + 4194304 + 2097152 + 64 = 7340096 bytes; each of the four is
 * freed, by the next call or by free, with nothing between: 4 temporary. N times: the same peak.
 */
#include "controls/control.h"

SITE void *map(void)
{
	return counted(malloc(1 << 20), 1 << 20);
}

SITE void *widen(void *block)
{
	return counted(realloc(block, 4 << 20), 4 << 20);
}

SITE void *narrow(void *block)
{
	return counted(realloc(block, 2 << 20), 2 << 20);
}

SITE void *home(void *block)
{
	return counted(realloc(block, 64), 64);
}

SITE void resize(void)
{
	char *block = (char *)map();

	block[12345] = 9;
	block = (char *)widen(block);
	block = (char *)narrow(block);
	NEED(block && block[12345] == 9);
	free(home(block));
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		resize();
	return control_end();
}
