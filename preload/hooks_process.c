/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks on what makes, replaces and ends processes. fork: a handler may fork while its thread is
 * inside one of our hooks, which then goes on in the child. exec: the trace says that it ended so.
 * exec and posix_spawn: who cannot load us is not asked to.
 * Ends: what is in memory is committed, and the status noted.
 */
#include <alloca.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/hooks.h"
#include "preload/life.h"
#include "preload/real.h"
#include "preload/started.h"

static void need_real(void)
{
	if (!real.ready)
		real_resolve();
}

HOOK pid_t fork(void)
{
	int in_handler = life_fork_begins(HOOK_FRAME);
	pid_t pid;

	need_real();
	pid = real.fork();
	if (pid == 0)
		life_forked(in_handler);
	return pid;
}

HOOK pid_t _Fork(void)
{
	int in_handler = life_fork_begins(HOOK_FRAME);
	pid_t pid;

	need_real();
	pid = real._Fork();
	if (pid == 0)
		life_forked(in_handler);
	return pid;
}

/*
 * The environment for what is started: env, or a copy without our entry. It is no function: the
 * copy may be on the stack of the hook.
 */
#define ENVIRONMENT_FOR(env, ...)                                                             \
	({                                                                                    \
		const struct started started_what = { __VA_ARGS__ };                          \
		char *const *started_env = (env);                                             \
                                                                                              \
		copy = started_need(started_env, &started_what);                              \
		if (copy.bytes)                                                               \
			started_env = started_without(                                        \
				copy.memory ? copy.memory : alloca(copy.bytes), started_env); \
		started_env;                                                                  \
	})

#define COPY struct started_copy copy __attribute__((cleanup(started_release))) = { 0, NULL }

/* The call returns only when it failed. */
#define EXEC(call)                  \
	do {                        \
		int exec_result;    \
                                    \
		need_real();        \
		life_exec(1);       \
		exec_result = call; \
		life_exec(0);       \
		return exec_result; \
	} while (0)

/* With the environment as it is the function that was called is called: others may stand behind. */
#define AS_CALLED(env) ((env) == (char *const *)environ)

#define BY_NAME(path) .directory = AT_FDCWD, .name = (path)
#define BY_PATH(file) BY_NAME(file), .is_in_path = 1

HOOK int execve(const char *path, char *const *argv, char *const *env)
{
	COPY;

	env = ENVIRONMENT_FOR(env, BY_NAME(path));
	EXEC(real.execve(path, argv, env));
}

HOOK int execv(const char *path, char *const *argv)
{
	COPY;
	char *const *env = ENVIRONMENT_FOR(environ, BY_NAME(path));

	EXEC(AS_CALLED(env) ? real.execv(path, argv) : real.execve(path, argv, env));
}

HOOK int execvp(const char *file, char *const *argv)
{
	COPY;
	char *const *env = ENVIRONMENT_FOR(environ, BY_PATH(file));

	EXEC(AS_CALLED(env) ? real.execvp(file, argv) : real.execvpe(file, argv, env));
}

HOOK int execvpe(const char *file, char *const *argv, char *const *env)
{
	COPY;

	env = ENVIRONMENT_FOR(env, BY_PATH(file));
	EXEC(real.execvpe(file, argv, env));
}

HOOK int fexecve(int fd, char *const *argv, char *const *env)
{
	COPY;

	env = ENVIRONMENT_FOR(env, .directory = fd, .is_fd = 1);
	EXEC(real.fexecve(fd, argv, env));
}

HOOK int execveat(int fd, const char *path, char *const *argv, char *const *env, int flags)
{
	const int is_fd = (flags & AT_EMPTY_PATH) && started_is_empty(path);
	COPY;

	env = ENVIRONMENT_FOR(env, .directory = fd, .name = path, .is_fd = is_fd);
	EXEC(real.execveat(fd, path, argv, env, flags));
}

/* Arguments in a row become a vector on the stack, as libc makes it. */
#define VECTOR(argv, args, first)                              \
	do {                                                   \
		va_list count_args;                            \
		size_t count = 1, at;                          \
                                                               \
		va_copy(count_args, args);                     \
		while (va_arg(count_args, char *))             \
			count++;                               \
		va_end(count_args);                            \
		(argv) = alloca((count + 1) * sizeof(char *)); \
		(argv)[0] = (char *)(size_t)(first);           \
		for (at = 1; at <= count; at++)                \
			(argv)[at] = va_arg(args, char *);     \
	} while (0)

HOOK int execl(const char *path, const char *arg, ...)
{
	char **argv, *const *env;
	va_list args;
	COPY;

	va_start(args, arg);
	VECTOR(argv, args, arg);
	va_end(args);
	env = ENVIRONMENT_FOR(environ, BY_NAME(path));
	EXEC(AS_CALLED(env) ? real.execv(path, argv) : real.execve(path, argv, env));
}

HOOK int execlp(const char *file, const char *arg, ...)
{
	char **argv, *const *env;
	va_list args;
	COPY;

	va_start(args, arg);
	VECTOR(argv, args, arg);
	va_end(args);
	env = ENVIRONMENT_FOR(environ, BY_PATH(file));
	EXEC(AS_CALLED(env) ? real.execvp(file, argv) : real.execvpe(file, argv, env));
}

HOOK int execle(const char *path, const char *arg, ...)
{
	char **argv, *const *env;
	va_list args;
	COPY;

	va_start(args, arg);
	VECTOR(argv, args, arg);
	env = va_arg(args, char *const *);
	va_end(args);
	env = ENVIRONMENT_FOR(env, BY_NAME(path));
	EXEC(real.execve(path, argv, env));
}

HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attributes, char *const *argv, char *const *env)
{
	COPY;

	need_real();
	env = ENVIRONMENT_FOR(env, BY_NAME(path), .is_spawned = 1, .actions = actions);
	return real.posix_spawn(pid, path, actions, attributes, argv, env);
}

HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		      const posix_spawnattr_t *attributes, char *const *argv, char *const *env)
{
	COPY;

	need_real();
	env = ENVIRONMENT_FOR(env, BY_PATH(file), .is_spawned = 1, .actions = actions);
	return real.posix_spawnp(pid, file, actions, attributes, argv, env);
}

HOOK void _exit(int status)
{
	life_finish(status & 0xFF);
	need_real();
	for (;;)
		real._exit(status);
}

HOOK void _Exit(int status)
{
	_exit(status);
}

/* Of the two processes that libc makes of this one it ends the parent itself, with 0. */
HOOK int daemon(int keep_directory, int keep_descriptors)
{
	need_real();
	life_finish(0);
	return real.daemon(keep_directory, keep_descriptors);
}

HOOK void quick_exit(int status)
{
	life_quick_exit(status);
	need_real();
	for (;;)
		real.quick_exit(status);
}
