/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls back, n deep, from frames with ROOM bytes. */
#include <stddef.h>

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
