/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Built twice, as NAME one and two: two libraries of the same size that take each other's place. */
#include <stdlib.h>

__attribute__((noinline)) void *NAME(void)
{
	void *block = malloc(SIZE);

	__asm__ volatile("" ::"r"(block) : "memory");
	return block;
}

__attribute__((constructor)) static void begin(void)
{
	free(malloc(SIZE + 1));
	__asm__ volatile("" ::: "memory");
}
