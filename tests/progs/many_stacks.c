/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * many_stacks LEVELS: one block from each of 2^LEVELS distinct stacks, at most 2^20. At each level
 * one of two functions calls the next, so that no two stacks have the same names: left_3, right_3,
 * and so on. Blocks of every third stack are kept, the others freed.
 */
#include <stdint.h>
#include <stdlib.h>

#define LEVELS_MAX 20

typedef void step(unsigned levels, uint32_t which);
static step *const next[LEVELS_MAX][2];

static __attribute__((noinline)) void allocate(uint32_t which)
{
	void *volatile block = malloc(which % 61 + 1);

	if (which % 3)
		free(block);
}

static __attribute__((noinline)) void go_on(unsigned level, unsigned levels, uint32_t which)
{
	if (level == levels)
		allocate(which);
	else
		for (uint32_t side = 0; side < 2; side++)
			next[level][side](levels, which * 2 + side);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

#define STEP(side, level)                                                              \
	static __attribute__((noinline, noclone)) void side##_##level(unsigned levels, \
								      uint32_t which)  \
	{                                                                              \
		go_on(level + 1, levels, which);                                       \
		__asm__ volatile("" ::: "memory");                                     \
	}
#define LEVELS(X)                                                                              \
	X(0)                                                                                   \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
		X(17) X(18) X(19)
#define BOTH(level) STEP(left, level) STEP(right, level)
LEVELS(BOTH)

#define ROW(level) { left_##level, right_##level },
static step *const next[LEVELS_MAX][2] = { LEVELS(ROW) };

int main(int argc, char **argv)
{
	const unsigned levels = argc > 1 ? (unsigned)atoi(argv[1]) : 4;

	if (levels > LEVELS_MAX)
		return 2;
	go_on(0, levels, 0);
	return 0;
}
