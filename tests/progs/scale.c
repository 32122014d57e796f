/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale CALLS STACKS: CALLS times malloc and free, from STACKS different stacks, with 64 blocks
 * live.
 *
 * Each call goes through five functions out of ten, chosen by the decimal digits of the stack's
 * number, so 100,000 stacks differ. The numbers come in steps of a fixed stride, so neighbours in
 * time have little in common. 1 stack takes the same way each time.
 */
#include <stdint.h>
#include <stdlib.h>

#define LEVELS 5
#define STACKS_MAX 100000u
#define STRIDE 61819u /* has no factor in common with the numbers of stacks in use */
#define LIVE 64

#define DECLARE(name) static void *name(uint32_t path, int level);
#define EACH(x) x(d0) x(d1) x(d2) x(d3) x(d4) x(d5) x(d6) x(d7) x(d8) x(d9)

EACH(DECLARE)

static void *(*const digit[])(uint32_t path, int level) = {
	d0, d1, d2, d3, d4, d5, d6, d7, d8, d9,
};
static void *block[LIVE];

static __attribute__((noinline, noclone)) void *leaf(uint32_t path)
{
	return malloc(16 + path);
}

/* The barrier keeps the ten from being folded into one, and each call from being a jump. */
#define STEP(name)                                                                              \
	static __attribute__((noinline, noclone)) void *name(uint32_t path, int level)          \
	{                                                                                       \
		void *result = level == LEVELS ? leaf(path) :                                   \
						 digit[path % 10](path / 10, level + 1);        \
                                                                                                \
		__asm__ volatile("" : "+r"(result)::"memory");                                  \
		return result;                                                                  \
	}

EACH(STEP)

int main(int argc, char **argv)
{
	unsigned long calls = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	uint32_t stacks = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	uint32_t path = 0;

	if (!calls || !stacks || stacks > STACKS_MAX)
		return 2;
	for (unsigned long i = 0; i < calls; i++) {
		free(block[i % LIVE]);
		/* what is left above the digits becomes the size */
		block[i % LIVE] = digit[path % 10]((path + i % 100 * STACKS_MAX) / 10, 1);
		path = (path + STRIDE) % stacks;
	}
	for (int i = 0; i < LIVE; i++)
		free(block[i]);
	return 0;
}
