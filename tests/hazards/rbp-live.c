/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rbp matters, and not only where it is a frame's base. `at` runs a function at a given place on
 * the stack, whoever called it: only rbp says where its frame is. From there on the same code runs
 * at the same place with the same words on the stack, but for
 *	through > leaf		rbp itself, which both leave alone;
 *	keeps			a saved rbp, below an rbp of the same value;
 *	general > leaf		a saved rbp, below an rbp that is a number and means nothing.
 */
#include <stdint.h>

#include "tests/hazards/hazard.h"

void at(void *sp, void (*fn)(void));
void through(void (*fn)(void));
void general(void (*fn)(void), long value);

static char *place;
static long number;

/* Makes the one call itself, with no push of rbp between. */
static SITE __attribute__((optimize("omit-frame-pointer"))) void leaf(void)
{
	free(malloc(10));
	NOT_LAST;
}

static SITE __attribute__((optimize("no-omit-frame-pointer"))) void keeps(void)
{
	free(malloc(20));
	NOT_LAST;
}

static SITE void passes(void)
{
	through(leaf);
	NOT_LAST;
}

static SITE void overwrites(void)
{
	general(leaf, number++);
	NOT_LAST;
}

/* Two callers whose frames are of different sizes. */
static SITE void near(void (*fn)(void))
{
	at(place, fn);
	NOT_LAST;
}

static SITE void further(void (*fn)(void))
{
	char room[200];

	__asm__ volatile("" : : "r"(room) : "memory");
	at(place, fn);
	NOT_LAST;
}

int main(void)
{
	void (*const functions[])(void) = { leaf, passes, keeps, overwrites };
	int i;

	place = (char *)((uintptr_t)__builtin_frame_address(0) & ~15ul) - 2048;
	for (i = 0; i < 200; i++) {
		void (*const fn)(void) = functions[i / 10 % 4];

		if (i & 1)
			near(fn);
		else
			further(fn);
		hazard_calls++;
	}
	return hazard_end();
}
