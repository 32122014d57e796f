/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Below a function without unwind information a stack cannot be known: each of the calls made from
 * there is to be flagged, and says how many they are.
 */
#include "tests/hazards/hazard.h"

void bare(void (*fn)(void));

static unsigned long truncated;

static SITE void below(void)
{
	take(10);
	truncated++;
}

static SITE void further_below(void)
{
	below();
	bare(below);
	below();
}

int main(void)
{
	char text[64];
	int i, length;

	for (i = 0; i < 20; i++) {
		take(1);
		bare(below);
		bare(further_below);
		take(2);
	}
	length = snprintf(text, sizeof(text), "truncated %lu\n", truncated);
	NEED(write(STDOUT_FILENO, text, (size_t)length) == length);
	return hazard_end();
}
