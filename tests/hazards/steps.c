/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A handler that allocates at each instruction of the hand-written functions that the random
 * program calls, one after the other: by the trap flag, so that no run misses one. What they call
 * does not allocate.
 */
#include <signal.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

#define STACK_BYTES (64u << 10)
#define TRAP 0x100ull

void at(void *sp, void (*fn)(void));
void through(void (*fn)(void));
void general(void (*fn)(void), long value);
void by_rbx(void (*fn)(void));
void by_r12(void (*fn)(void));
void by_expression(void (*fn)(void));
void in_register(void (*fn)(void));
void call_on(void *top, void (*fn)(void));

static unsigned steps;

static SITE void in_handler(int n)
{
	take((size_t)n + 1);
	if (n)
		in_handler(n - 1);
	NOT_LAST;
}

static void on_trap(int number)
{
	(void)number;
	steps++;
	in_handler(1);
}

static SITE void leaf(void)
{
	NOT_LAST;
}

static void step(int on)
{
	const unsigned long long flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | TRAP : flags & ~TRAP);
}

int main(void)
{
	static void (*const kinds[])(void (*)(void)) = { by_rbx, by_r12, by_expression, in_register,
							 through };
	const struct sigaction trap = { .sa_handler = on_trap };
	char *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned i;

	NEED(stack != MAP_FAILED && !sigaction(SIGTRAP, &trap, NULL));
	step(1);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		kinds[i](leaf);
	general(leaf, 12345);
	at((char *)__builtin_frame_address(0) - 4096, leaf);
	call_on(stack + STACK_BYTES, leaf);
	step(0);
	NEED(steps > 60);
	return hazard_end();
}
