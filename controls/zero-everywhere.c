/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nothing but blocks of 0 bytes: the greatest total is 0, and it is reached before the first call,
 * so the peak has no block.
 *
 *   none    malloc(0) 10 times: 7 freed, the last one allocated among them, first: temporary
 *   still   realloc(NULL, 0), and a realloc of it to 0, which frees: temporary
 *
 * 11 calls, 0 bytes, 7 + 1 = 8 frees, 2 temporary, 3 blocks of 0 bytes left. N times as much, but
 * for the peak.
 */
#include "controls/control.h"

SITE void *none(void)
{
	return counted(malloc(opaque(0)), 0);
}

SITE void *still(void)
{
	return counted(realloc(NULL, opaque(0)), 0);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		void *block[10];

		for (int i = 0; i < 10; i++) {
			block[i] = none();
			NEED(block[i]);
		}
		for (int i = 9; i > 2; i--)
			free(block[i]);
		NEED(!counted(realloc(blind(still()), opaque(0)), 0));
	}
	return control_end();
}
