/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gives_back END SIGNALS: a timer's handler interrupts a thread that renames itself and maps,
 * fills, gives back and unmaps memory, all of which the recorder looks at. The handler allocates,
 * unless it interrupted an allocator; it forks, and the child ends there or goes on where it was
 * interrupted, ends with 7 either way; it leaves by siglongjmp; and after so many SIGNALS it ends
 * the process with 3: by exit, _exit, quick_exit or exec. Before that it says calls, jumps,
 * children, and how many of these ended well.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (1ul << 20)

static sigjmp_buf back;
static volatile long calls, handled, jumps, children, well;
static volatile int allocates, is_child;
static const char *end;
static long last;

__attribute__((noinline)) static void one(size_t size)
{
	char *block = malloc(size);

	memset(block, 1, size);
	free(block);
	calls++;
}

static void finish(void)
{
	char text[200];
	const int length =
		snprintf(text, sizeof(text), "calls %ld\njumps %ld\nchildren %ld\nwell %ld\n",
			 calls, jumps, children, well);

	if (write(STDOUT_FILENO, text, (size_t)length) != length)
		_exit(9);
	if (!strcmp(end, "exit"))
		exit(3);
	if (!strcmp(end, "quick_exit"))
		quick_exit(3);
	if (!strcmp(end, "exec"))
		execl("/bin/sh", "sh", "-c", "exit 3", NULL);
	_exit(3);
}

static void fork_one(void)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		is_child = 1;
		if (handled % 2)
			one(10);
		if (handled % 3 == 0)
			_exit(7);
		return;
	}
	while (waitpid(child, &status, 0) < 0)
		;
	children++;
	well += WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static void handler(int number)
{
	(void)number;
	handled++;
	if (allocates || is_child)
		return;
	one(33);
	if (handled >= last)
		finish();
	if (handled % 7 == 3)
		fork_one();
	else if (handled % 7 == 5) {
		jumps++;
		siglongjmp(back, 1);
	}
}

static void end_if_child(void)
{
	if (!is_child)
		return;
	one(5);
	exit(7);
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 300 }, { 0, 300 } };
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	static long turn;
	char name[16];
	char *memory;
	int i;

	if (argc != 3)
		return 2;
	end = argv[1];
	last = strtol(argv[2], NULL, 10);
	if (sigsetjmp(back, 1) == 0) {
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	for (;;) {
		snprintf(name, sizeof(name), "turn %ld", turn++);
		prctl(PR_SET_NAME, name);
		end_if_child();
		for (i = 0; i < 100; i++) {
			memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (memory == MAP_FAILED)
				return 2;
			memory[0] = 1;
			madvise(memory, BYTES / 2, MADV_DONTNEED);
			munmap(memory, BYTES);
			end_if_child();
		}
		allocates = 1;
		for (i = 0; i < 200; i++)
			one((size_t)i + 20);
		one(300000);
		allocates = 0;
		end_if_child();
	}
}
