/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A peak of 6 MiB that lasts for microseconds, between small blocks that live for milliseconds: no
 * sampling in time would see it.
 *
 *   small    100 blocks of 64       live     6,400   for 5 ms
 *   slab     1 block of 4 MiB       live 4,200,704
 *   piece    32 blocks of 64 KiB    live 6,297,856   the peak: 133 blocks
 *   all of these pieces, then the slab, are freed at once: live 6,400, for 5 ms
 *   medium   20 blocks of 10,000    live   206,400   for 5 ms, then all is freed
 *
 * 100 + 1 + 32 + 20 = 153 calls and frees, 6400 + 4194304 + 2097152 + 200000 = 6497856 bytes.
 * Temporary: the last piece, and the last medium one: only other frees come between. N times: the
 * same peak.
 */
#include <time.h>

#include "controls/control.h"

static void *small_block[100], *piece_block[32], *medium_block[20];

SITE void small(int i)
{
	small_block[i] = counted(malloc(64), 64);
}

SITE void *slab(void)
{
	return counted(malloc(4 << 20), 4 << 20);
}

SITE void piece(int i)
{
	piece_block[i] = counted(malloc(65536), 65536);
}

SITE void medium(int i)
{
	medium_block[i] = counted(malloc(10000), 10000);
}

SITE void burst(void)
{
	void *block = slab();

	for (int i = 0; i < 32; i++)
		piece(i);
	for (int i = 0; i < 32; i++)
		free(piece_block[i]);
	free(block);
}

static void pause_5_ms(void)
{
	const struct timespec time = { .tv_nsec = 5000000 };

	nanosleep(&time, NULL);
}

SITE void flash(void)
{
	for (int i = 0; i < 100; i++)
		small(i);
	pause_5_ms();
	burst();
	pause_5_ms();
	for (int i = 0; i < 20; i++)
		medium(i);
	pause_5_ms();
	for (int i = 0; i < 20; i++)
		free(medium_block[i]);
	for (int i = 0; i < 100; i++)
		free(small_block[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		flash();
	return control_end();
}
