/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale CALLS STACKS: CALLS times malloc and free, from STACKS different stacks, with 64 blocks live.
 *
 * Each call goes 17 levels down, to the left or to the right by one bit of the stack's number a level, so
 * 100,000 stacks differ (below 2^17). The numbers come in steps of a fixed stride, so neighbours in time
 * have little in common. 1 stack takes the same way down.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVELS 17
#define LIVE 64

static void *block[LIVE];

static __attribute__((noinline, noclone)) void *left(uint32_t path, int level);
static __attribute__((noinline, noclone)) void *right(uint32_t path, int level);

static __attribute__((noinline, noclone)) void *leaf(uint32_t path)
{
	return malloc(16 + path % 100);
}

#define DOWN(path, level) \
	((level) == LEVELS ? leaf(path) : (path) >> (level) & 1 ? right(path, (level) + 1) : left(path, (level) + 1))

static void *left(uint32_t path, int level)
{
	void *result = DOWN(path, level);

	__asm__ volatile("" ::: "memory");
	return result;
}

static void *right(uint32_t path, int level)
{
	void *result = DOWN(path, level);

	__asm__ volatile("" : "+r"(level)::"memory");
	return result;
}

int main(int argc, char **argv)
{
	unsigned long calls = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	uint32_t stacks = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	uint32_t path = 0;

	if (!calls || !stacks || stacks > 1u << LEVELS)
		return 2;
	for (unsigned long i = 0; i < calls; i++) {
		free(block[i % LIVE]);
		block[i % LIVE] = left(path, 0);
		path = (path + 61819) % stacks;
	}
	for (int i = 0; i < LIVE; i++)
		free(block[i]);
	return 0;
}
