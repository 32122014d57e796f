/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks that grow and shrink between events: deep and shallow in turn, a recursion to changing
 * depths, and one whose frames have the same size but come from different call sites.
 */
#include "tests/hazards/hazard.h"

static SITE void down(int n)
{
	if (n)
		down(n - 1);
	else
		take(5);
	NOT_LAST;
}

static SITE void odd(int n);

static SITE void even(int n)
{
	if (n % 3 == 0)
		take(1);
	if (n > 0)
		odd(n - 1);
	if (n % 5 == 0)
		take(2);
	NOT_LAST;
}

static SITE void odd(int n)
{
	if (n % 7 == 0)
		take(3);
	if (n > 1)
		odd(n - 2);
	if (n > 0)
		even(n - 1);
	NOT_LAST;
}

int main(void)
{
	unsigned random = 1;
	int i;

	for (i = 0; i < 100; i++) {
		down(200);
		down(1);
		down(0);
		random = random * 1103515245u + 12345u;
		down((int)(random >> 16) % 100);
		down(i);
	}
	even(14);
	odd(13);
	return hazard_end();
}
