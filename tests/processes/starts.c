/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * starts WAY PROGRAM [ARGUMENT]: starts PROGRAM in that way, and prints what that prints. A child
 * is waited for, and this program ends as it did.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/* The program's directory is where it begins, and then it has a short name. */
static int by_spawn_there(const char *program, char **argv, const char *way)
{
	const char *slash = strrchr(program, '/');
	posix_spawn_file_actions_t actions;
	char directory[PATH_MAX], name[PATH_MAX];
	int status, failed, fd;
	pid_t pid;

	snprintf(directory, sizeof(directory), "%.*s/..", (int)(slash - program), program);
	snprintf(name, sizeof(name), "./%s", slash + 1);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(directory, sizeof(directory), "%.*s", (int)(slash - program), program);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 200, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addclose(&actions, 200);
	posix_spawn_file_actions_adddup2(&actions, fd, 201);
	posix_spawn_file_actions_addfchdir_np(&actions, 201);
	if (!strcmp(way, "spawn-fchdir")) {
		fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		posix_spawn_file_actions_adddup2(&actions, fd, 201);
		posix_spawn_file_actions_addfchdir_np(&actions, 201);
	} else {
		posix_spawn_file_actions_addchdir_np(&actions, strrchr(directory, '/') + 1);
	}
	failed = !strcmp(way, "spawnp-chdir")
			 ? posix_spawnp(&pid, slash + 1, &actions, NULL, argv, environ)
			 : posix_spawn(&pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
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

static void say_errno(int result)
{
	printf("%d %s\n", result, strerror(errno));
}

/* The kernel says so of pointers that are none. */
static int nowhere(const char *program, char **argv)
{
	char *const volatile none = (char *)9; /* volatile: the compiler does not look */
	char *strange[] = { none, NULL };
	char **const volatile no_env = (char **)16;
	pid_t pid;

	say_errno(execve(none, argv, environ));
	say_errno(execve(program, argv, no_env));
	say_errno(execve(program, argv, strange));
	say_errno(execveat(AT_FDCWD, none, argv, environ, AT_EMPTY_PATH));
	say_errno((int)syscall(SYS_execve, none, argv, environ));
	say_errno(posix_spawn(&pid, none, NULL, NULL, argv, environ));
	say_errno(posix_spawn(&pid, program, NULL, NULL, argv, no_env));
	environ = strange;
	say_errno(execv(program, argv));
	return 0;
}

struct start {
	const char *program;
	char **argv;
	int result;
};

static void *start(void *arg)
{
	struct start *s = arg;

	s->result = by_spawn(s->program, s->argv, 0);
	return NULL;
}

static int on_small_stack(const char *program, char **argv)
{
	struct start s = { program, argv, 98 };
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	if (pthread_create(&thread, &attributes, start, &s) || pthread_join(thread, NULL))
		return 97;
	return s.result;
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
	else if (!strcmp(way, "syscall"))
		syscall(SYS_execve, program, rest, environ);
	else if (!strcmp(way, "syscall-at"))
		syscall(SYS_execveat, AT_FDCWD, program, rest, environ, 0);
	else if (!strcmp(way, "nowhere"))
		return nowhere(program, rest);
	else if (!strcmp(way, "small-stack"))
		return on_small_stack(program, rest);
	else if (!strcmp(way, "spawn"))
		return by_spawn(program, rest, 0);
	else if (!strcmp(way, "spawnp"))
		return by_spawn(program, rest, 1);
	else if (!strncmp(way, "spawn-", 6) || !strncmp(way, "spawnp-", 7))
		return by_spawn_there(program, rest, way);
	else if (!strcmp(way, "fork"))
		return by_child(fork(), program, rest);
	else if (!strcmp(way, "vfork"))
		return by_child(vfork(), program, rest);
	else if (!strcmp(way, "system"))
		return WEXITSTATUS(system(program));
	return 99;
}
