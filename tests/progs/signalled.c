/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * signalled MODE CALLS: a program that keeps the rules of signal handlers: these allocate only when
 * a flag says that nobody is in the allocator. Says how many calls were made, and how many signals
 * were blocked at its start. MODE:
 * "guarded": a handler of SIGPROF, once a millisecond of processor time;
 * "alternate": the same on an alternate stack of 4 KB, or what the kernel needs of it and 2 KB;
 * "leave": it leaves the function that calls malloc by siglongjmp;
 * "masks": no handler comes: blocked and pending signals, handlers and the alternate stack are
 * after all calls what they were before, or the exit status is 1.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t in_allocator, leaves;
static volatile unsigned long calls, bytes, handled, left;
static sigjmp_buf back;

__attribute__((noinline)) static void *allocate(size_t size)
{
	void *p;

	in_allocator = 1;
	p = malloc(size);
	calls++;
	bytes += size;
	in_allocator = 0;
	return p;
}

__attribute__((noinline)) static void give_back(void *p)
{
	in_allocator = 1;
	free(p);
	in_allocator = 0;
}

static void handler(int number)
{
	(void)number;
	if (in_allocator)
		return;
	handled++;
	give_back(allocate(1000));
	give_back(allocate(handled % 4096));
	if (leaves) {
		left++;
		siglongjmp(back, 1);
	}
}

/* Its blocks are found again when it is left. */
static void *volatile block[8];

__attribute__((noinline)) static void work(unsigned long i)
{
	for (volatile int pause = 0; pause < 1000; pause++) /* handlers may allocate here */
		;
	for (unsigned k = 0; k < 8; k++) {
		void *p;

		/* not left while a block is in nobody's hands but ours */
		in_allocator = 1;
		p = block[k];
		block[k] = NULL;
		free(p);
		p = malloc(16 + (i * 8 + k) % 500);
		calls++;
		bytes += 16 + (i * 8 + k) % 500;
		block[k] = p;
		in_allocator = 0;
	}
}

static void allocate_all(unsigned long wanted)
{
	static volatile unsigned long i;

	sigsetjmp(back, 1);
	for (; i < wanted / 8; i++)
		work(i);
	leaves = 0;
	in_allocator = 1;
	for (unsigned k = 0; k < 8; k++)
		free(block[k]);
}

struct signals {
	sigset_t blocked, pending;
	struct {
		void (*function)(int);
		int flags;
	} action[32];
	stack_t stack;
};

static void get_signals(struct signals *s)
{
	memset(s, 0, sizeof(*s));
	sigprocmask(SIG_SETMASK, NULL, &s->blocked);
	sigpending(&s->pending);
	for (int i = 1; i < 32; i++) {
		struct sigaction action;

		sigaction(i, NULL, &action);
		s->action[i].function = action.sa_handler;
		s->action[i].flags = action.sa_flags;
	}
	sigaltstack(NULL, &s->stack);
}

static int check_masks(unsigned long wanted)
{
	static struct signals before, after;
	sigset_t some;

	sigemptyset(&some);
	for (int i = 1; i < SIGRTMAX; i += 3)
		sigaddset(&some, i);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, NULL);
	raise(SIGUSR1);
	raise(SIGRTMIN);
	get_signals(&before);
	allocate_all(wanted);
	get_signals(&after);
	return sigismember(&after.pending, SIGUSR1) != 1 ||
	       memcmp(&before, &after, sizeof(before)) != 0;
}

/* With a page below it that nothing may touch. */
static void use_small_stack(void)
{
	const size_t least = getauxval(AT_MINSIGSTKSZ) + 2048;
	stack_t stack = { .ss_size = least > 4096 ? least : 4096 };
	char *at = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at, 4096, PROT_NONE);
	stack.ss_sp = at + 4096;
	sigaltstack(&stack, NULL);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	const struct itimerval timer = { { 0, 1000 }, { 0, 1000 } }, off = { 0 };
	const unsigned long wanted = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	char text[100];
	int length, failed = 0, blocked = 0;
	sigset_t first;

	if (!wanted)
		return 2;
	sigprocmask(SIG_SETMASK, NULL, &first);
	for (int i = 1; i < SIGRTMAX; i++)
		blocked += sigismember(&first, i) == 1;
	if (strcmp(argv[1], "masks") == 0) {
		failed = check_masks(wanted);
	} else {
		leaves = strcmp(argv[1], "leave") == 0;
		if (strcmp(argv[1], "alternate") == 0) {
			use_small_stack();
			action.sa_flags |= SA_ONSTACK;
		}
		sigaction(SIGPROF, &action, NULL);
		setitimer(ITIMER_PROF, &timer, NULL);
		allocate_all(wanted);
		setitimer(ITIMER_PROF, &off, NULL);
	}
	length = snprintf(text, sizeof(text),
			  "calls %lu\nbytes %lu\nhandled %lu\nleft %lu\nblocked %d\n", calls, bytes,
			  handled, left, blocked);
	return write(STDOUT_FILENO, text, (size_t)length) != length || failed;
}
