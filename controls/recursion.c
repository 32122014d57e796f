/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recursion of known depth: stacks that differ in the number of equal frames only, and two
 * functions that call each other.
 *
 *   down     6 deep, each level allocates its depth in bytes before it goes down:
 *            main;down 1, main;down;down 2, ... 6: 6 calls, 21 bytes, kept
 *   deep     900 levels, the last one calls leaf: malloc(1000), kept. main + 900 + leaf = 902
 *            frames, fewer than the 1024 that are kept
 *   ping     ping(5) and pong call each other: ping 5, pong 4, ping 3, pong 2, ping 1; on the way
 *            back each allocates ten times its number: 10, 20, 30, 40, 50, kept
 *
 * 6 + 1 + 5 = 12 calls, 21 + 1000 + 150 = 1171 bytes, all live at the end, which is the peak. No
 * frees. N times: N times as much.
 */
#include "controls/control.h"

SITE void down(size_t level)
{
	NEED(counted(malloc(level), level));
	if (level < 6)
		down(level + 1);
	__asm__ volatile("" ::: "memory");
}

SITE void leaf(void)
{
	NEED(counted(malloc(1000), 1000));
}

SITE void deep(size_t levels)
{
	if (levels == 1)
		leaf();
	else
		deep(levels - 1);
	__asm__ volatile("" ::: "memory");
}

SITE void pong(size_t n);

SITE void ping(size_t n)
{
	if (n > 1)
		pong(n - 1);
	NEED(counted(malloc(10 * n), 10 * n));
}

SITE void pong(size_t n)
{
	if (n > 1)
		ping(n - 1);
	NEED(counted(malloc(10 * n), 10 * n));
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		down(1);
		deep(900);
		ping(5);
	}
	return control_end();
}
