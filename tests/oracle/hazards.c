/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocates from the places where an unwinder can go wrong: realigned and variable frames, signal
 * handlers on both kinds of stack, after longjmp, on a coroutine's stack, in threads, in callbacks
 * of libc, deep below the limit, and in a constructor that the loader calls (with -DLIBRARY, which
 * makes only that one). The recorder's oracle compares each of them.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static void *volatile sink;

static __attribute__((noinline)) void allocate(size_t bytes)
{
	sink = malloc(bytes);
	free(sink);
	sink = calloc(1, bytes);
	sink = realloc(sink, 2 * bytes);
	free(sink);
}

#ifdef LIBRARY

static __attribute__((constructor)) void begin(void)
{
	allocate(100);
}

#else

static __attribute__((noinline)) void keep(void *a, void *b)
{
	__asm__ volatile("" : : "r"(a), "r"(b) : "memory");
}

static __attribute__((noinline)) void realigned(int n)
{
	char aligned[64] __attribute__((aligned(64)));
	char *variable = alloca((size_t)n);

	keep(aligned, variable);
	allocate((size_t)n);
	if (n > 16)
		realigned(n / 2);
	keep(aligned, variable);
}

static __attribute__((noinline)) void variable(int n)
{
	char array[n];

	keep(array, array);
	if (n > 16)
		variable(n / 2);
	allocate((size_t)n);
	keep(array, array);
}

static __attribute__((noinline)) void deep(int n)
{
	char here[8];

	keep(here, &n);
	if (n)
		deep(n - 1);
	else
		allocate(10);
	keep(here, &n);
}

static void on_signal(int number)
{
	allocate((size_t)number);
}

static void signals(void)
{
	static char memory[65536];
	const stack_t other = { .ss_sp = memory, .ss_size = sizeof(memory) };
	struct sigaction action = { .sa_handler = on_signal };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	/* interrupted between two instructions, the first of its function at that */
	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile("int3" : : : "memory");
}

void traps_first(void);
__asm__(".globl traps_first\n"
	".type traps_first, @function\n"
	"traps_first: .cfi_startproc\n"
	"int3\n"
	"push %rbp\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset rbp, 0\n"
	"int3\n"
	"xor %ebp, %ebp\n"
	"int3\n"
	"pop %rbp\n .cfi_adjust_cfa_offset -8\n .cfi_restore rbp\n"
	"int3\n"
	"ret\n"
	".cfi_endproc\n");

static jmp_buf jump;

static __attribute__((noinline)) void jumps(int n)
{
	allocate((size_t)n);
	if (n == 1)
		longjmp(jump, 1);
	if (n)
		jumps(n - 1);
	keep(&n, &n);
}

static ucontext_t outside, inside;

static void coroutine(void)
{
	variable(100);
	swapcontext(&inside, &outside);
	realigned(100);
}

static void coroutines(void)
{
	static char memory[65536];

	getcontext(&inside);
	inside.uc_stack.ss_sp = memory;
	inside.uc_stack.ss_size = sizeof(memory);
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	allocate(5);
	swapcontext(&outside, &inside);
}

static int compare(const void *a, const void *b)
{
	allocate(7);
	return *(const int *)a - *(const int *)b;
}

static void *thread(void *unused)
{
	(void)unused;
	variable(1000);
	realigned(1000);
	deep(50);
	return NULL;
}

static void jump_back(void)
{
	if (!setjmp(jump))
		jumps(5);
}

int main(void)
{
	int numbers[] = { 3, 1, 2 }, i;
	pthread_t threads[3];

	for (i = 0; i < 20; i++) {
		allocate(1);
		realigned(1000);
		variable(1000);
		signals();
		traps_first();
		jump_back();
		coroutines();
		qsort(numbers, 3, sizeof(*numbers), compare);
		deep(100);
	}
	deep(1500);
	deep(3000);
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}

#endif
