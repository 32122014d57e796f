/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * starts WAY PROGRAM [ARGUMENT]: starts PROGRAM in that way, and prints what that prints. A child
 * is waited for, and this program ends as it did.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int by_spawn(const char *program, char **argv, int is_in_path)
{
	pid_t pid;
	int failed = is_in_path ? posix_spawnp(&pid, program, NULL, NULL, argv, environ)
				: posix_spawn(&pid, program, NULL, NULL, argv, environ);
	int status;

	if (failed || waitpid(pid, &status, 0) != pid)
		return 98;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

static int by_child(pid_t pid, const char *program, char **argv)
{
	int status;

	if (pid == 0) {
		execv(program, argv);
		_exit(96);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 98;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[1] : "", *program = argc > 2 ? argv[2] : "";
	char **rest = argv + 2;

	if (!strcmp(way, "execve"))
		execve(program, rest, environ);
	else if (!strcmp(way, "execv"))
		execv(program, rest);
	else if (!strcmp(way, "execvp"))
		execvp(program, rest);
	else if (!strcmp(way, "execvpe"))
		execvpe(program, rest, environ);
	else if (!strcmp(way, "fexecve"))
		fexecve(open(program, O_RDONLY | O_CLOEXEC), rest, environ);
	else if (!strcmp(way, "execveat"))
		execveat(open(".", O_PATH | O_CLOEXEC), program, rest, environ, 0);
	else if (!strcmp(way, "execveat-empty"))
		execveat(open(program, O_PATH | O_CLOEXEC), "", rest, environ, AT_EMPTY_PATH);
	else if (!strcmp(way, "execl"))
		execl(program, program, rest[1], NULL);
	else if (!strcmp(way, "execlp"))
		execlp(program, program, rest[1], NULL);
	else if (!strcmp(way, "execle"))
		execle(program, program, rest[1], NULL, environ);
	else if (!strcmp(way, "spawn"))
		return by_spawn(program, rest, 0);
	else if (!strcmp(way, "spawnp"))
		return by_spawn(program, rest, 1);
	else if (!strcmp(way, "fork"))
		return by_child(fork(), program, rest);
	else if (!strcmp(way, "vfork"))
		return by_child(vfork(), program, rest);
	else if (!strcmp(way, "system"))
		return WEXITSTATUS(system(program));
	return 99;
}
