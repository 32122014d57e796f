/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that lib/binds.c comes to through the loader. */
#include <stdlib.h>

void plain(void (*fn)(size_t));
void chosen(void (*fn)(size_t));
void another(void (*fn)(size_t));

void plain(void (*fn)(size_t))
{
	fn(30);
	__asm__ volatile("" : : : "memory");
}

static void choice(void (*fn)(size_t))
{
	fn(40);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void allocate(size_t bytes)
{
	free(malloc(bytes));
	free(calloc(2, bytes));
	__asm__ volatile("" : : : "memory");
}

static __attribute__((used)) void (*choose(void))(void (*)(size_t))
{
	allocate(50);
	allocate(60);
	return choice;
}

void chosen(void (*fn)(size_t)) __attribute__((ifunc("choose")));
void another(void (*fn)(size_t)) __attribute__((ifunc("choose")));
