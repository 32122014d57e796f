/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same maximum is reached three times, by different stacks: the first one is the peak.
 * Afterwards the stacks of the peak go up and down again, which must not change what they were at
 * the peak.
 *
 *   base     1 block of 500     live  500, to the end
 *   early    3 blocks of 1000   live 3500   the peak: base 500, early 3000, 4 blocks
 *   all of early freed          live  500
 *   late     2 blocks of 1500   live 3500   equal, not greater
 *   one of late freed           live 2000
 *   early    1 block of 1000    live 3000
 *   base     1 block of 500     live 3500   equal again
 *   the other of late freed     live 2000   left: 2 of base, 1 of early
 *
 * 2 + 4 + 2 = 8 calls, 1000 + 4000 + 3000 = 8000 bytes, 5 frees.
 * Temporary: the third of early's first three (allocated last, freed with only frees between); the
 * second of late is freed first, right after it came: temporary. The other of late: early and base
 * came between.
 *
 * N times: before each further round what is left is freed, the last one of base first, which is
 * then temporary. Each round comes to 3500 and none is greater than the first.
 */
#include "controls/control.h"

SITE void *base(void)
{
	return counted(malloc(500), 500);
}

SITE void *early(void)
{
	return counted(malloc(1000), 1000);
}

SITE void *late(void)
{
	return counted(malloc(1500), 1500);
}

SITE void maxima(int is_last)
{
	void *block[3], *left[3];

	left[2] = base();
	for (int i = 0; i < 3; i++)
		block[i] = early();
	for (int i = 0; i < 3; i++)
		free(block[i]);
	block[0] = late();
	block[1] = late();
	free(block[1]);
	left[1] = early();
	left[0] = base();
	free(block[0]);
	for (int i = 0; i < 3 && !is_last; i++)
		free(left[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		maxima(!work);
	return control_end();
}
