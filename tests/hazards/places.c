/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tower of frames of which one level, or two, is another from call to call: entered from another
 * place, or by a function whose frame is as large but keeps rbp elsewhere, or larger, or with a
 * frame pointer, or realigned. All frames above lie where they lay, or all elsewhere, and the
 * levels that did not change have the same words.
 */
#include <stdint.h>

#include "tests/hazards/hazard.h"

#define LEVELS 14
#define KINDS 8
#define CALLS 6000
/* NOT_LAST, and none is another's code */
#define PLACE(n) __asm__ volatile("" : : "i"(n) : "memory")

static unsigned kind[LEVELS];
static uint64_t state = 88172645463325252u;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

static void next(int level);

/* rsp moved by 24, and nothing saved */
static SITE void plain(int level)
{
	long room[2];

	__asm__ volatile("" : : "r"(room) : "memory");
	if (kind[level] == 0) {
		next(level + 1);
		PLACE(0);
	} else if (kind[level] == 1) {
		next(level + 1);
		PLACE(1);
	} else {
		next(level + 1);
		PLACE(2);
	}
}

static SITE void twin(int level)
{
	long room[2];

	__asm__ volatile("" : : "r"(room) : "memory");
	next(level + 1);
	NOT_LAST;
}

/* As large, but rbp is saved in it, as a register like others. */
static SITE void saves(int level)
{
	register long mine __asm__("rbp") = level * 8l + 0x7F000000;
	long room[1];

	__asm__ volatile("" : "+r"(mine) : "r"(room) : "memory");
	next(level + 1);
	__asm__ volatile("" : "+r"(mine));
	NOT_LAST;
}

static SITE void larger(int level)
{
	long room[10];

	__asm__ volatile("" : : "r"(room) : "memory");
	next(level + 1);
	NOT_LAST;
}

static SITE __attribute__((optimize("no-omit-frame-pointer"))) void based(int level)
{
	next(level + 1);
	NOT_LAST;
}

static SITE void realigned(int level)
{
	char room[64] __attribute__((aligned(64)));

	__asm__ volatile("" : : "r"(room) : "memory");
	next(level + 1);
	NOT_LAST;
}

static inline __attribute__((always_inline)) void next(int level)
{
	static void (*const of_kind[KINDS])(int) = { plain, plain,  plain, twin,
						     saves, larger, based, realigned };

	if (level == LEVELS)
		take(8);
	else
		of_kind[kind[level]](level);
}

int main(void)
{
	int i;

	for (i = 0; i < CALLS; i++) {
		/* for a while only places change, then anything */
		const unsigned kinds = i / 500 % 2 ? KINDS : 4;

		kind[below(LEVELS)] = below(kinds);
		if (below(4) == 0)
			kind[below(LEVELS)] = below(kinds);
		plain(0);
	}
	return hazard_end();
}
