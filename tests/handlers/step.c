/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step MODE FROM TO ROUNDS: steps through a malloc and a free one instruction at a time (the trap
 * flag, SIGTRAP), and at instruction number FROM, FROM + 1, ... TO of the recorder's own a handler
 * acts, once for each: MODE "allocate" (malloc and free), "exchange" (malloc, and free of an older
 * block), "jump" (siglongjmp), "both" (malloc, free, siglongjmp), "fork" (the child does so too,
 * goes on where its parent was interrupted, and ends with 7), "switch" (to another context, which
 * steps into calls of its own and switches back in the middle of one). ROUNDS is how often.
 *
 * Says how many calls it made that returned, how often a handler acted, how many of its children
 * ended well.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100
#define STACK_BYTES 262144
#define OLDER 8

/* While the flag is set each instruction ends in a trap. */
#define STEP() __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "cc", "memory")
#define STEP_NO_MORE() __asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq" ::: "cc", "memory")

static unsigned long ours_from, ours_to; /* the recorder's code */
static const char *mode;
static volatile long seen, target; /* its instructions of this call; the one to act at */
static volatile unsigned long calls, acted, well;
static volatile int is_child;
static sigjmp_buf back;
static void *volatile older[OLDER];
static ucontext_t context[2];

__attribute__((noinline)) static void *allocate(size_t size)
{
	void *p = malloc(size);

	calls++;
	return p;
}

static void act(void)
{
	int status;

	acted++;
	if (strcmp(mode, "allocate") == 0 || strcmp(mode, "both") == 0)
		free(allocate(24));
	if (strcmp(mode, "jump") == 0 || strcmp(mode, "both") == 0)
		siglongjmp(back, 1);
	if (strcmp(mode, "switch") == 0)
		swapcontext(&context[0], &context[1]);
	if (strcmp(mode, "exchange") == 0) {
		void *p = older[acted % OLDER];

		older[acted % OLDER] = allocate(24);
		free(p);
	}
	if (strcmp(mode, "fork") == 0) {
		pid_t child = acted % 3 == 0   ? fork()
			      : acted % 3 == 1 ? (pid_t)syscall(SYS_fork)
					       : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (child == 0) {
			is_child = 1;
			target = -1; /* no more here */
			if (acted % 2) /* or else what goes on finds no trace of its own */
				free(allocate(24));
			return;
		}
		if (waitpid(child, &status, 0) == child && WIFEXITED(status))
			well += WEXITSTATUS(status) == 7;
	}
}

static int is_ours(const void *at)
{
	return (unsigned long)at >= ours_from && (unsigned long)at < ours_to;
}

static void on_trap(int number, siginfo_t *info, void *of)
{
	greg_t *reg = ((ucontext_t *)of)->uc_mcontext.gregs;
	const unsigned char *at = (const unsigned char *)reg[REG_RIP];

	(void)number;
	(void)info;
	/* a system call may block the signal, and a trap would be the end */
	if (at[0] == 0x0F && at[1] == 0x05) {
		reg[REG_EFL] &= ~TRAP_FLAG;
	} else if (is_ours(at) && seen++ == target) {
		reg[REG_EFL] &= ~TRAP_FLAG;
		act();
	}
}

/* The other context: its own call is stepped into as far as the first's number tells. */
static volatile long other_seen, other_target;

static void on_trap_of_other(int number, siginfo_t *info, void *of)
{
	greg_t *reg = ((ucontext_t *)of)->uc_mcontext.gregs;
	const unsigned char *at = (const unsigned char *)reg[REG_RIP];

	(void)number;
	(void)info;
	if (at[0] == 0x0F && at[1] == 0x05) {
		reg[REG_EFL] &= ~TRAP_FLAG;
	} else if (is_ours(at) && other_seen++ == other_target) {
		reg[REG_EFL] &= ~TRAP_FLAG;
		swapcontext(&context[1], &context[0]);
	}
}

static void set_handler(void (*function)(int, siginfo_t *, void *))
{
	const struct sigaction action = { .sa_sigaction = function, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
}

static void other(void)
{
	for (;;) {
		void *volatile p;

		set_handler(on_trap_of_other);
		other_target = (target * 7 + (long)acted * 13) % 150;
		other_seen = 0;
		STEP();
		p = allocate(40);
		STEP_NO_MORE();
		other_seen = 0;
		STEP();
		free(p);
		STEP_NO_MORE();
		set_handler(on_trap);
		swapcontext(&context[1], &context[0]);
	}
}

/* One malloc and one free, each with a handler at instruction `target`. */
static void step_into_both(void)
{
	void *volatile p = NULL;

	if (sigsetjmp(back, 1) == 0) {
		seen = 0;
		STEP();
		p = malloc(24);
		STEP_NO_MORE();
		calls++;
	}
	STEP_NO_MORE();
	set_handler(on_trap);
	if (sigsetjmp(back, 1) == 0) {
		seen = 0;
		STEP();
		free(p);
		STEP_NO_MORE();
	}
	STEP_NO_MORE();
	set_handler(on_trap);
}

static void find_recorder(void)
{
	char line[1000];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "libxalloc") && strstr(line, "r-xp"))
			sscanf(line, "%lx-%lx", &ours_from, &ours_to);
	if (maps)
		fclose(maps);
}

int main(int argc, char **argv)
{
	static char buffer[4096];
	char text[100];
	int length;

	if (argc != 5)
		return 2;
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	find_recorder();
	mode = argv[1];
	getcontext(&context[1]);
	context[1].uc_stack.ss_sp =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	context[1].uc_stack.ss_size = STACK_BYTES;
	makecontext(&context[1], other, 0);
	set_handler(on_trap);
	for (long round = 0; round < atol(argv[4]); round++)
		for (target = atol(argv[2]); target <= atol(argv[3]); target++) {
			step_into_both();
			if (is_child) {
				if (acted % 2 == 0)
					free(allocate(24));
				_exit(7);
			}
			/* so that stamps are due elsewhere the next time */
			for (long i = 0; i < target % 7; i++)
				free(allocate(100));
		}
	length = snprintf(text, sizeof(text), "calls %lu\nacted %lu\nwell %lu\n", calls, acted,
			  well);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
