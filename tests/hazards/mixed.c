/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mixed SEED [ticks]: frames of all kinds called by each other at random: plain ones, such
 * that use all registers, with frame pointers, of variable size, realigned, hand-written, ones that
 * move the stack pointer or change the stack, handlers, coroutines that are left and entered again
 * in the middle, and jumps out of all that. With ticks of CPU time a handler that allocates
 * interrupts it wherever it is, and how many calls there are varies.
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "tests/hazards/hazard.h"

#define LEVELS 25
#define CALLS 4000
#define STACK_BYTES (512u << 10)
#define STACKS 12

void at(void *sp, void (*fn)(void));
void through(void (*fn)(void));
void general(void (*fn)(void), long value);
void by_rbx(void (*fn)(void));
void by_r12(void (*fn)(void));
void by_expression(void (*fn)(void));
void in_register(void (*fn)(void));
void call_on(void *top, void (*fn)(void));

struct coroutine {
	ucontext_t inside, outside;
};

/* Where a jump goes, and how things stood there. */
struct target {
	jmp_buf buffer;
	struct target *outer;
	int level, stacks;
};

static uint64_t state;
static int level, calls_left = CALLS, stacks_used;
static char *stack[STACKS];
static struct coroutine coroutines[STACKS], *entering;
static struct target *target;
static int has_ticks;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

static SITE void next(void);

static SITE void plain(void)
{
	next();
	NOT_LAST;
}

static SITE void busy(void)
{
	long a = level, b = a * 3, c = a * 5, d = a * 7, e = a * 9, f = a * 11;

	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	next();
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	if (a * 36 != a + b + c + d + e + f)
		hazard_broken(__LINE__);
}

static SITE __attribute__((optimize("no-omit-frame-pointer"))) void based(void)
{
	char room[88];

	__asm__ volatile("" : : "r"(room) : "memory");
	next();
	NOT_LAST;
}

static SITE void variable(void)
{
	char *room = alloca(below(400) + 1);

	__asm__ volatile("" : : "r"(room) : "memory");
	next();
	NOT_LAST;
}

static SITE void realigned(void)
{
	char fixed[64] __attribute__((aligned(128)));
	char array[below(100) + 1];

	__asm__ volatile("" : : "r"(fixed), "r"(array) : "memory");
	next();
	NOT_LAST;
}

static SITE void jumped_to(void)
{
	next();
	NOT_LAST;
}

static SITE void tail(void)
{
	if (below(2))
		take(3);
	jumped_to();
}

static SITE void handmade(void)
{
	static void (*const kinds[])(void (*)(void)) = { by_rbx, by_r12, by_expression, in_register,
							 through };

	kinds[below(5)](next);
	NOT_LAST;
}

static SITE void with_number(void)
{
	general(next, (long)below(1000));
	NOT_LAST;
}

static SITE void moved(void)
{
	char *here = (char *)((uintptr_t)__builtin_frame_address(0) & ~15ul);

	at(here - 512 - 16 * below(20), next);
	NOT_LAST;
}

static SITE void elsewhere(void)
{
	if (stacks_used == STACKS) {
		next();
		return;
	}
	call_on(stack[stacks_used++] + STACK_BYTES, next);
	stacks_used--;
}

static void on_signal(int number)
{
	(void)number;
	next();
}

static SITE void in_handler(int n)
{
	take((size_t)n + 1);
	if (n)
		in_handler(n - 1);
	NOT_LAST;
}

static void on_tick(int number)
{
	(void)number;
	in_handler(2);
}

static SITE void interrupted(void)
{
	raise(SIGUSR1);
	NOT_LAST;
}

static void coroutine(void)
{
	struct coroutine *c = entering;

	next();
	NEED(!swapcontext(&c->inside, &c->outside));
	next();
	/* libc's code behind a coroutine's end takes uc_link for its return address, and so does
	 * who unwinds it */
	if (has_ticks)
		setcontext(&c->outside);
}

static SITE void suspended(void)
{
	struct coroutine *c = &coroutines[stacks_used];

	if (stacks_used == STACKS) {
		next();
		return;
	}
	NEED(!getcontext(&c->inside));
	c->inside.uc_stack.ss_sp = stack[stacks_used++];
	c->inside.uc_stack.ss_size = STACK_BYTES;
	c->inside.uc_link = &c->outside;
	makecontext(&c->inside, coroutine, 0);
	entering = c;
	NEED(!swapcontext(&c->outside, &c->inside));
	next();
	NEED(!swapcontext(&c->outside, &c->inside));
	stacks_used--;
}

static SITE void landing(void)
{
	struct target here = { .outer = target, .level = level, .stacks = stacks_used };

	target = &here;
	if (!_setjmp(here.buffer)) {
		next();
	} else {
		level = here.level;
		stacks_used = here.stacks;
		take(9);
	}
	target = here.outer;
}

static SITE void jump(void)
{
	if (target && below(2))
		_longjmp(target->buffer, 1);
	next();
	NOT_LAST;
}

static SITE void next(void)
{
	static void (*const kinds[])(void) = { plain,       busy,    based,     variable,
					       realigned,   tail,    handmade,  handmade,
					       with_number, moved,   elsewhere, interrupted,
					       suspended,   landing, jump };
	unsigned times = 1 + below(3);

	if (level == LEVELS || calls_left <= 0) {
		take((size_t)level + 1);
		return;
	}
	level++;
	while (times--) {
		calls_left--;
		if (below(3) == 0)
			take(below(100) + 1);
		kinds[below(sizeof(kinds) / sizeof(*kinds))]();
	}
	level--;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };
	struct sigaction tick = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	const long microseconds = argc == 3 ? 1000 : 0;
	const struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };
	int i;

	NEED(argc >= 2 && !sigaction(SIGUSR1, &action, NULL) && !sigaction(SIGPROF, &tick, NULL));
	has_ticks = argc == 3;
	state = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15ull | 1;
	for (i = 0; i < STACKS; i++) {
		stack[i] = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		NEED(stack[i] != MAP_FAILED);
	}
	NEED(!setitimer(ITIMER_PROF, &timer, NULL));
	while (calls_left > 0) {
		next();
		take(1);
	}
	NEED(!setitimer(ITIMER_PROF, &(struct itimerval){ 0 }, NULL));
	return hazard_end();
}
