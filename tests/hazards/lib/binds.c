/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked with nothing: what it calls is found when it is called. */
#include <stddef.h>

void plain(void (*fn)(size_t));
void chosen(void (*fn)(size_t));
void another(void (*fn)(size_t));
void run(void (*fn)(size_t));

static __attribute__((noinline, noipa)) void deeper(void (*fn)(size_t), int n)
{
	char room[n * 8 + 8];

	__asm__ volatile("" : : "r"(room) : "memory");
	if (n)
		deeper(fn, n - 1);
	else
		another(fn);
	fn(1);
	__asm__ volatile("" : : "r"(room) : "memory");
}

void run(void (*fn)(size_t))
{
	plain(fn);
	chosen(fn);
	deeper(fn, 4);
}
