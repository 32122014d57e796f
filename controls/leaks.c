/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two sites leave blocks behind, a third frees all of its own.
 *
 *   load > names    5 blocks of 100             500; the 2nd and 4th are freed: 300 left, 3 blocks
 *   load > pages    2 of calloc(4, 1024) = 8192 all left; and malloc(0): a block of 0 bytes, left
 *   scratch         10 blocks of 3000           each freed before the next: temporary, 10
 *
 * live: names 500, free 200: 300, pages 8192: 8492, scratch: + 3000 = 11492, the peak (first time):
 * 3 + 3 + 1 = 7 blocks. At the end 8492 in 6 blocks.
 * 5 + 3 + 10 = 18 calls: 16 malloc, 2 calloc; 500 + 8192 + 0 + 30000 = 38692 bytes; 2 + 10 = 12
 * frees. The 4th name is freed after the 5th came: not temporary.
 *
 * N times: each round leaves 8492 in 6 blocks.
 */
#include "controls/control.h"

SITE void *names(void)
{
	return counted(malloc(100), 100);
}

SITE void pages(void)
{
	NEED(counted(calloc(4, 1024), 4096));
	NEED(counted(calloc(4, 1024), 4096));
	NEED(counted(malloc(opaque(0)), 0));
}

SITE void load(void)
{
	void *name[5];

	for (int i = 0; i < 5; i++)
		name[i] = names();
	free(name[1]);
	free(name[3]);
	pages();
}

SITE void *scratch(void)
{
	return counted(malloc(3000), 3000);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		load();
		for (int i = 0; i < 10; i++)
			free(scratch());
	}
	return control_end();
}
