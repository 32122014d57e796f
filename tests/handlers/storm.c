/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storm MODE CALLS: allocates and frees while a timer's handler does so too, and says what it did.
 * MODE: "plain", "alternate" (the handler has a stack of its own), "high" (that stack lies above
 * the main one's frames), "jump" (each seventh handler leaves by siglongjmp; a call that it cut
 * short is not counted), "fork" (each 50th handler forks; the child goes on where its parent was
 * interrupted, and ends with 7).
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
static volatile int may_jump, jumping, forking, is_child;
static sigjmp_buf back;

__attribute__((noinline)) static void in_handler(void)
{
	for (size_t i = 0; i < 3; i++) {
		void *p = malloc(10 + i);

		calls++;
		bytes += 10 + i;
		free(p);
	}
}

static void handler(int number)
{
	(void)number;
	signals++;
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
	if (jumping && may_jump && signals % 7 == 0) {
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
	struct itimerval timer = { { 0, 100 }, { 0, 100 } }, off = { 0 };
	static volatile unsigned long i;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	sigsetjmp(back, 1);
	may_jump = 1;
	for (; i < wanted; i++) {
		work(100 + i % 50);
		if (is_child && i % 20 == 0)
			_exit(7);
	}
	may_jump = 0;
	setitimer(ITIMER_REAL, &off, NULL);
}

int main(int argc, char **argv)
{
	char in_frame[ALTERNATE_BYTES], text[160];
	stack_t stack = { .ss_size = ALTERNATE_BYTES };
	int flags = 0, length;

	if (argc != 3)
		return 2;
	memset(in_frame, 0, sizeof(in_frame));
	if (strcmp(argv[1], "alternate") == 0)
		stack.ss_sp = mmap(NULL, ALTERNATE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	else if (strcmp(argv[1], "high") == 0)
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
