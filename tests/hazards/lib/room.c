/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls back, n deep, from frames with ROOM bytes. */
#include <stdlib.h>

#define SITE __attribute__((noinline, noclone, noipa))

void call(void (*fn)(size_t), int n);

SITE void call(void (*fn)(size_t), int n)
{
	char room[ROOM];

	__asm__ volatile("" : : "r"(room) : "memory");
	fn(ROOM);
	if (n)
		call(fn, n - 1);
	fn(ROOM);
	__asm__ volatile("" : : "r"(room) : "memory");
}

static SITE void own(size_t bytes)
{
	free(malloc(bytes));
	__asm__ volatile("" : : : "memory");
}

static __attribute__((constructor)) void begin(void)
{
	call(own, 1);
}

static __attribute__((destructor)) void end(void)
{
	call(own, 2);
}
