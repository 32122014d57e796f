/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames that are found by rbx, by r12 and by an expression, and one whose caller's rbp is in a
 * register: hand-written, with right unwind information. What they call saves those registers in
 * between, so that they are on the stack only.
 */
#include <alloca.h>

#include "tests/hazards/hazard.h"

void by_rbx(void (*fn)(void));
void by_r12(void (*fn)(void));
void by_expression(void (*fn)(void));
void in_register(void (*fn)(void));

static int level;

static SITE void nested(void);

/* Uses all registers that a call preserves, so that it has to save them. */
static SITE void busy(void)
{
	long a = level, b = a * 3, c = a * 5, d = a * 7, e = a * 9;

	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	take(10);
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	if (a + b + c + d + e != 25 * level)
		hazard_broken(__LINE__);
}

static SITE void based(void)
{
	char *room = alloca((size_t)level * 16 + 16);

	__asm__ volatile("" : : "r"(room) : "memory");
	busy();
	take(20);
	NOT_LAST;
}

static SITE void nested(void)
{
	static void (*const kinds[])(void (*)(void)) = { by_rbx, by_r12, by_expression,
							 in_register };

	if (level == 6) {
		based();
		take(1);
		return;
	}
	level++;
	kinds[level % 4](nested);
	level--;
	take(2);
}

int main(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		by_rbx(busy);
		by_rbx(based);
		by_r12(busy);
		by_r12(based);
		by_expression(busy);
		by_expression(based);
		in_register(busy);
		in_register(based);
		nested();
		take(3);
	}
	return hazard_end();
}
