/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocates below frames outside of the row classes: the CFA by other registers or an expression,
 * registers kept in others, stacks that lie anywhere, and each instruction of a lazy binding. With
 * -DLIBRARY the library that is bound lazily. The recorder's oracle compares each of them.
 *
 * `outside registers` makes such frames below one that exchanges two registers. libunwind sets one
 * after the other, so the second gets what the first was given; the answer there is the program's
 * text.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#ifdef LIBRARY

static void *volatile sink;

int outside_plain(int n);
int outside_chosen(int n);

int outside_plain(int n)
{
	return n + 1;
}

/* Called by the loader when the function is called first. */
static int (*choose(void))(int)
{
	sink = malloc(30);
	free(sink);
	return outside_plain;
}

int outside_chosen(int n) __attribute__((ifunc("choose")));

#else

#define STEPS 400 /* through the stub, the loader's entry, and into the loader */

int outside_plain(int n);
int outside_chosen(int n);

static void *volatile sink;

static __attribute__((noinline)) void allocate(void)
{
	sink = malloc(10);
	sink = realloc(sink, 20);
	free(sink);
}

/* Each calls fn with a frame of its kind. by_rbp and by_expression do so on the stack that ends at
 * top. */
void by_rbx(void (*fn)(void));
void by_r12(void (*fn)(void));
void in_r13(void (*fn)(void));
void exchanged(void (*fn)(void));
void by_rbp(void (*fn)(void), void *top);
void by_expression(void (*fn)(void), void *top);
void traps_by_r10(void);

__asm__(".macro function name\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name: .cfi_startproc\n"
	".endm\n"
	".macro saves register\n"
	"push %\\register\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset \\register, 0\n"
	".endm\n"
	".macro restores register\n"
	"pop %\\register\n .cfi_adjust_cfa_offset -8\n .cfi_restore \\register\n"
	".endm\n"
	".macro done\n ret\n .cfi_endproc\n .endm\n"

	"function by_rbx\n"
	"saves rbx\n"
	"mov %rsp, %rbx\n .cfi_def_cfa_register rbx\n"
	"sub $100, %rsp\n and $-64, %rsp\n"
	"call *%rdi\n"
	"mov %rbx, %rsp\n .cfi_def_cfa_register rsp\n"
	"restores rbx\n"
	"done\n"

	"function by_r12\n"
	"saves r12\n saves rbp\n saves rbx\n"
	"lea 16(%rsp), %r12\n .cfi_def_cfa r12, 16\n"
	"sub $512, %rsp\n xor %ebp, %ebp\n mov $1, %ebx\n"
	"call *%rdi\n"
	"lea -16(%r12), %rsp\n .cfi_def_cfa rsp, 32\n"
	"restores rbx\n restores rbp\n restores r12\n"
	"done\n"

	/* rbp and rbx, which callers may need, in registers */
	"function in_r13\n"
	"saves r13\n saves r14\n saves r15\n"
	"mov %rbp, %r13\n .cfi_register rbp, r13\n"
	"mov %rbx, %r14\n .cfi_register rbx, r14\n"
	"mov $2, %ebp\n mov $3, %ebx\n"
	"call *%rdi\n"
	"mov %r13, %rbp\n .cfi_restore rbp\n"
	"mov %r14, %rbx\n .cfi_restore rbx\n"
	"restores r15\n restores r14\n restores r13\n"
	"done\n"

	"function exchanged\n"
	"xchg %rbx, %r12\n .cfi_register rbx, r12\n .cfi_register r12, rbx\n"
	"sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n"
	"call *%rdi\n"
	"add $8, %rsp\n .cfi_adjust_cfa_offset -8\n"
	"xchg %rbx, %r12\n .cfi_restore rbx\n .cfi_restore r12\n"
	"done\n"

	"function by_rbp\n"
	"saves rbp\n"
	"mov %rsp, %rbp\n .cfi_def_cfa_register rbp\n"
	"mov %rsi, %rsp\n"
	"call *%rdi\n"
	"mov %rbp, %rsp\n .cfi_def_cfa_register rsp\n"
	"restores rbp\n"
	"done\n"

	/* as cryptographic code does: the old stack pointer is kept on the new stack */
	"function by_expression\n"
	"lea -64(%rsi), %rsi\n"
	"mov %rsp, 16(%rsi)\n"
	"mov %rsi, %rsp\n"
	".cfi_escape 0x0f, 5, 0x77, 16, 0x06, 0x23, 8\n" /* CFA = *(rsp + 16) + 8 */
	"call *%rdi\n"
	"mov 16(%rsp), %rsp\n .cfi_def_cfa rsp, 8\n"
	"done\n"

	/* gcc's way into a realigned frame, interrupted while r10 has the CFA */
	"function traps_by_r10\n"
	"lea 8(%rsp), %r10\n .cfi_def_cfa r10, 0\n"
	"and $-32, %rsp\n"
	"int3\n"
	"push -8(%r10)\n push %rbp\n"
	"int3\n"
	"pop %rbp\n"
	"lea -8(%r10), %rsp\n .cfi_def_cfa rsp, 8\n"
	"done\n");

static char low_stack[16384] __attribute__((aligned(64)));

/* Below all the others at once, in turn. */
static void expressed(void)
{
	allocate();
	traps_by_r10();
	allocate();
}

static void high_again(void)
{
	by_r12(expressed);
}

/* The stack that was used before lies lower than this one now: a CFA that goes down. */
static void *high_stack;

static void on_low_stack(void)
{
	by_rbx(allocate);
	in_r13(allocate);
	by_rbp(high_again, high_stack);
	by_expression(high_again, high_stack);
}

static void to_low_stack(void)
{
	by_expression(on_low_stack, low_stack + sizeof(low_stack));
}

static void through_registers(void)
{
	in_r13(to_low_stack);
}

static void chain(void)
{
	exchanged(through_registers);
}

static volatile int steps;

static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *const at = context;

	(void)number;
	(void)info;
	allocate();
	if (steps && --steps)
		at->uc_mcontext.gregs[REG_EFL] |= 0x100;
	else
		at->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
}

/* Traps at each instruction from here on, so many times. */
static void step_by_step(int count)
{
	steps = count;
	__asm__ volatile("int3" : : : "memory");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	char room[16384] __attribute__((aligned(64)));
	int n = 0, i;

	high_stack = room + sizeof(room);
	sigaction(SIGTRAP, &action, NULL);
	(void)argv;
	if (argc > 1) {
		by_rbx(chain);
		return 0;
	}
	for (i = 0; i < 20; i++) {
		by_rbx(allocate);
		by_r12(to_low_stack);
		by_rbx(to_low_stack);
	}
	n += outside_chosen(1);
	step_by_step(STEPS);
	n += outside_plain(n);
	printf("done %d\n", n);
	return 0;
}

#endif
