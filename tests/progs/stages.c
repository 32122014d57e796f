/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stages STAGE...: does one thing after the other, for tests of what follows a process.
 *
 *   aN   N calls of malloc(10), kept
 *   f    fork: the child goes on with the stages behind, the parent waits and ends
 *   v    vfork and exec of itself with the stages behind, waits and ends
 *   s    the same by posix_spawn
 *   n    the same as f by a raw clone, which no hook sees
 *   y    the same as s by system
 *   d    a daemon: forks a child that forks another, which goes on when the child is gone; ends
 *   x    exec of itself with the stages behind
 *   cD   chdir(D)
 *   kN   sends itself signal N
 *   r    reads a byte from standard input: waits for the test
 *   pT   prints T and its process id: `T PID`
 *   eN   _exit(N)
 *   qN   quick_exit(N)
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static __attribute__((noinline, noclone)) void work(long calls)
{
	for (; calls > 0; calls--) {
		if (!malloc(10))
			_exit(99);
		__asm__ volatile("" ::: "memory");
	}
}

static int end_as(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return 98;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

/* A shell that runs this program with the arguments, none of which has a blank. */
static int by_system(const char *self, char **arguments)
{
	char command[8192];
	int size = snprintf(command, sizeof(command), "%s", self), status;

	for (; *arguments; arguments++)
		size += snprintf(command + size, sizeof(command) - (size_t)size, " %s", *arguments);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

/* Returns in the daemon. */
static void become_daemon(void)
{
	int gone[2];
	char byte;

	if (pipe(gone))
		_exit(88);
	if (fork())
		_exit(0);
	if (fork())
		_exit(0);
	close(gone[1]);
	if (read(gone[0], &byte, 1)) /* until both have ended */
		_exit(87);
	close(gone[0]);
}

int main(int argc, char **argv)
{
	char self[4096], text[64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t child = -1;

	if (length < 0)
		return 96;
	self[length] = 0;
	for (int i = 1; i < argc; i++) {
		/* the rest of the arguments, behind the name */
		char **rest = &argv[i];
		const char *stage = argv[i];

		switch (stage[0]) {
		case 'a':
			work(strtol(stage + 1, NULL, 10));
			break;
		case 'f':
			child = fork();
			if (child)
				return end_as(child);
			break;
		case 'n':
			child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
			if (child)
				return end_as(child);
			break;
		case 'y':
			return by_system(self, rest + 1);
		case 'd':
			become_daemon();
			break;
		case 'v':
			rest[0] = argv[0];
			child = vfork();
			if (child == 0) {
				execv(self, rest);
				_exit(95);
			}
			return end_as(child);
		case 's':
			rest[0] = argv[0];
			if (posix_spawn(&child, self, NULL, NULL, rest, environ))
				return 94;
			return end_as(child);
		case 'x':
			rest[0] = argv[0];
			execv(self, rest);
			return 93;
		case 'c':
			if (chdir(stage + 1))
				return 92;
			break;
		case 'k':
			kill(getpid(), (int)strtol(stage + 1, NULL, 10));
			break;
		case 'r':
			if (read(STDIN_FILENO, text, 1) != 1)
				return 89;
			break;
		case 'p':
			length = snprintf(text, sizeof(text), "%.20s %d\n", stage + 1, getpid());
			if (write(STDOUT_FILENO, text, (size_t)length) != length)
				return 91;
			break;
		case 'e':
			_exit((int)strtol(stage + 1, NULL, 10));
		case 'q':
			quick_exit((int)strtol(stage + 1, NULL, 10));
		default:
			return 90;
		}
	}
	return 0;
}
