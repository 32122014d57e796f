/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One block grows from 1 byte to 1 MiB by doubling, and shrinks by halves to 1 byte again: in
 * place, moved, from the heap to a mapping and back, wherever the allocator likes.
 *
 * 1 malloc of 1; 20 realloc of 2, 4, ... 2^20; 20 realloc of 2^19, ... 1.
 * 41 calls, (2^21 - 1) + (2^20 - 1) = 3145726 bytes, 1 free. Each block is freed by the next call,
 * the last one by free: 41 temporary. The peak is one block of 2^20 = 1048576: a realloc that
 * counted both blocks would show 1.5 times that. N times: the same peak.
 */
#include "controls/control.h"

SITE char *start(void)
{
	return (char *)counted(malloc(1), 1);
}

SITE char *grow(char *block, size_t bytes)
{
	return (char *)counted(realloc(block, bytes), bytes);
}

SITE char *shrink(char *block, size_t bytes)
{
	return (char *)counted(realloc(block, bytes), bytes);
}

SITE void up_and_down(void)
{
	char *block = start();

	NEED(block);
	*block = 5;
	for (size_t bytes = 2; bytes <= 1 << 20; bytes *= 2) {
		block = grow(block, bytes);
		NEED(block && block[0] == 5);
		block[bytes - 1] = 6;
		NEED(bytes == 2 || block[bytes / 2 - 1] == 6);
	}
	for (size_t bytes = 1 << 19; bytes; bytes /= 2) {
		block = shrink(block, bytes);
		NEED(block && block[0] == 5);
	}
	free(block);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		up_and_down();
	return control_end();
}
