/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recursion deeper than XALLOC_DEPTH (1024 frames by default): what is shown are the 1024 frames
 * next to the call, below the root `[frames elided]`, the same one for all depths.
 *
 *   shallow    malloc(5)                                     main;shallow 5
 *   deep       5000 levels, then leaf: malloc(1000)          [frames elided];deep{1023};leaf 1000
 *              on the way back, at level 3000: malloc(200)   [frames elided];deep{1024} 200
 *              at level 10: malloc(30)                       main;deep{10} 30
 *              down again from there, 2000 more: leaf, 1000  [frames elided];deep{1023};leaf 1000
 *
 * 5 calls, 5 + 1000 + 200 + 30 + 1000 = 2235 bytes, all kept: the peak is at the end, 5 blocks. N
 * times as much.
 */
#include "controls/control.h"

SITE void shallow(void)
{
	NEED(counted(malloc(5), 5));
}

SITE void leaf(void)
{
	NEED(counted(malloc(1000), 1000));
}

/* levels counts from 1 (called by main) to last. */
SITE void deep(size_t level, size_t last)
{
	if (level == last)
		leaf();
	else
		deep(level + 1, last);
	if (last == 5000 && level == 3000)
		NEED(counted(malloc(200), 200));
	if (last == 5000 && level == 10) {
		NEED(counted(malloc(30), 30));
		deep(11, 2010);
	}
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		shallow();
		deep(1, 5000);
	}
	return control_end();
}
