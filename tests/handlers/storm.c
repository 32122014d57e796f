/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storm MODE CALLS: allocates and frees while a timer's handler does so too, and says what it did.
 * MODE: "plain", "alternate" (the handler has a stack of its own), "high" (that stack lies above
 * the main one's frames), "no-cfi" and "by-rbx" (the same, and the handler allocates below a frame
 * without unwind information, or with some that needs rbx), "jump" (each seventh handler leaves by
 * siglongjmp; a call that it cut short is not counted), "fork" (each 50th handler forks; the child
 * goes on where its parent was interrupted, and ends with 7).
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALTERNATE_BYTES 65536

static volatile unsigned long calls, bytes, signals, jumps;
static volatile unsigned long children, well;
static volatile int is_on, jumping, forking, is_child;
static sigjmp_buf back;

/* Each handler sets the timer again, and no signal comes before it has ended: on a busy machine,
 * too, what it interrupts gets on. */
static void set_timer(long microseconds)
{
	const struct itimerval once = { { 0, 0 }, { 0, microseconds } };

	setitimer(ITIMER_REAL, &once, NULL);
}

__attribute__((noinline)) static void in_handler(void)
{
	for (size_t i = 0; i < 3; i++) {
		void *p = malloc(10 + i);

		calls++;
		bytes += 10 + i;
		free(p);
	}
}

/* Call their argument. */
void call_without_cfi(void (*function)(void));
void call_by_rbx(void (*function)(void));
__asm__(".text\n"
	".type call_without_cfi, @function\n"
	"call_without_cfi:\n\t"
	"pushq %rbp\n\t"
	"movq %rsp, %rbp\n\t"
	"call *%rdi\n\t"
	"popq %rbp\n\t"
	"ret\n"
	".size call_without_cfi, . - call_without_cfi\n"
	".type call_by_rbx, @function\n"
	"call_by_rbx:\n\t"
	".cfi_startproc\n\t"
	"pushq %rbx\n\t"
	".cfi_def_cfa_offset 16\n\t"
	".cfi_offset %rbx, -16\n\t"
	"movq %rsp, %rbx\n\t"
	".cfi_def_cfa_register %rbx\n\t"
	"call *%rdi\n\t"
	"popq %rbx\n\t"
	".cfi_def_cfa %rsp, 8\n\t"
	"ret\n\t"
	".cfi_endproc\n"
	".size call_by_rbx, . - call_by_rbx\n");

static void (*through)(void (*function)(void));

static void handler(int number)
{
	(void)number;
	signals++;
	if (through)
		through(in_handler);
	else
		in_handler();
	if (forking && signals % 50 == 0) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			is_child = 1;
			in_handler();
			return;
		}
		children++;
		if (waitpid(child, &status, 0) == child && WIFEXITED(status))
			well += WEXITSTATUS(status) == 7;
	}
	if (is_on)
		set_timer(100);
	if (jumping && is_on && signals % 7 == 0) {
		jumps++;
		siglongjmp(back, 1);
	}
}

__attribute__((noinline)) static void work(size_t size)
{
	void *p = malloc(size);
	sigset_t timer, before;

	/* counted with the timer's signal held, for the handler counts in the same place */
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	sigprocmask(SIG_BLOCK, &timer, &before);
	calls++;
	bytes += size;
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(p);
}

/* Below this frame and the alternate stack in it. */
__attribute__((noinline)) static void run(unsigned long wanted, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags | SA_RESTART };
	static volatile unsigned long i;
	sigset_t timer;

	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	if (sigsetjmp(back, 0) == 0) {
		is_on = 1;
		set_timer(100);
	} else {
		sigprocmask(SIG_UNBLOCK, &timer, NULL);
	}
	for (; i < wanted; i++) {
		work(100 + i % 50);
		if (is_child && i % 20 == 0)
			_exit(7);
	}
	is_on = 0;
	set_timer(0);
}

int main(int argc, char **argv)
{
	char in_frame[ALTERNATE_BYTES], text[160];
	stack_t stack = { .ss_size = ALTERNATE_BYTES };
	int flags = 0, length;

	if (argc != 3)
		return 2;
	memset(in_frame, 0, sizeof(in_frame));
	through = strcmp(argv[1], "no-cfi") == 0   ? call_without_cfi
		  : strcmp(argv[1], "by-rbx") == 0 ? call_by_rbx
						   : NULL;
	if (strcmp(argv[1], "alternate") == 0)
		stack.ss_sp = mmap(NULL, ALTERNATE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	else if (strcmp(argv[1], "high") == 0 || through)
		stack.ss_sp = in_frame;
	jumping = strcmp(argv[1], "jump") == 0;
	forking = strcmp(argv[1], "fork") == 0;
	if (stack.ss_sp) {
		sigaltstack(&stack, NULL);
		flags = SA_ONSTACK;
	}
	run(strtoul(argv[2], NULL, 10), flags);
	length = snprintf(text, sizeof(text),
			  "calls %lu\nbytes %lu\nsignals %lu\njumps %lu\nchildren %lu\nwell %lu\n",
			  calls, bytes, signals, jumps, children, well);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
