/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call that does not return is its function's last instruction: the return address is the next
 * function's first byte, or nobody's.
 */
#include <setjmp.h>

#include "tests/hazards/hazard.h"

static jmp_buf back;

static SITE __attribute__((noreturn)) void leave(size_t bytes)
{
	char room[72];

	__asm__ volatile("" : : "r"(room) : "memory");
	take(bytes);
	longjmp(back, 1);
}

static SITE __attribute__((noreturn)) void small_frame(size_t bytes)
{
	leave(bytes);
}

static SITE __attribute__((noreturn)) void large_frame(size_t bytes)
{
	char room[1000];

	__asm__ volatile("" : : "r"(room) : "memory");
	small_frame(bytes);
}

static SITE void perhaps(size_t bytes)
{
	if (bytes > 2)
		large_frame(bytes);
	take(bytes);
	small_frame(bytes);
}

int main(void)
{
	volatile size_t i;

	for (i = 1; i <= 50; i++)
		if (!setjmp(back))
			perhaps(i % 5);
	return hazard_end();
}
