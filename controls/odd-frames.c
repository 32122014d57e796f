/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames that are found in other ways than most: sizes that are known when they run, alignments
 * above that of the stack, a frame of a mebibyte, arguments on the stack, a call in the middle of
 * pushing them.
 *
 *   varying   a frame of n bytes, n = 1, 100, 5000      take: malloc(n)      5101 in 3 blocks
 *   aligned   a frame aligned to 64 and to 4096         take: malloc(64)      128 in 2
 *   large     a frame of 1 MiB                          take: malloc(7)
 *   both      varying and aligned at once               take: malloc(9)
 *   many      called with 12 arguments, the last of which take(11) gives, in the middle of the
 * call; and itself take(12)
 *
 * 3 + 2 + 1 + 1 + 2 = 9 N calls, 5101 + 128 + 7 + 9 + 23 = 5268 N bytes, kept: the peak is at the
 * end.
 */
#include <alloca.h>
#include <stdint.h>

#include "controls/control.h"

SITE void *take(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE void varying(size_t bytes)
{
	volatile char *room = (volatile char *)alloca(bytes);

	room[0] = room[bytes - 1] = 1;
	NEED(take(bytes));
	NEED(room[bytes - 1] == 1);
}

SITE void aligned_64(void)
{
	volatile char room[64] __attribute__((aligned(64)));

	room[0] = 1;
	NEED((uintptr_t)room % 64 == 0 && take(64) && room[0]);
}

SITE void aligned_4096(void)
{
	volatile char room[64] __attribute__((aligned(4096)));

	room[0] = 1;
	NEED((uintptr_t)room % 4096 == 0 && take(64) && room[0]);
}

SITE void large(void)
{
	volatile char room[1 << 20];

	room[0] = room[sizeof(room) - 1] = 1;
	NEED(take(7) && room[0]);
}

SITE void both(size_t bytes)
{
	volatile char fixed[64] __attribute__((aligned(128)));
	volatile char *room = (volatile char *)alloca(bytes);

	fixed[0] = room[0] = 1;
	NEED((uintptr_t)fixed % 128 == 0 && take(9) && fixed[0] && room[0]);
}

SITE int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, void *l)
{
	NEED(l && take(12));
	return a + b + c + d + e + f + g + h + i + j + k;
}

SITE void push(void)
{
	NEED(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, take(11)) == 66);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		varying(1);
		varying(100);
		varying(5000);
		aligned_64();
		aligned_4096();
		large();
		both(opaque(100));
		push();
	}
	return control_end();
}
