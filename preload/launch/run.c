/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/run.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/launch/broker.h"
#include "preload/launch/message.h"

/* Passed on when a process sends them; from the terminal the whole process group has them. */
static const int passed_on[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
				 SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH };

static struct {
	sigset_t taken, caller_mask;
	struct sigaction caller_child;
} signals;

void run_prepare(void)
{
	/* ignored, as the caller may have it, a child's status would be lost */
	const struct sigaction normal = { .sa_handler = SIG_DFL };

	sigemptyset(&signals.taken);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(&signals.taken, passed_on[i]);
	sigaddset(&signals.taken, SIGCHLD);
	sigaddset(&signals.taken, SIGPIPE); /* of our own messages */
	sigaddset(&signals.taken, SIGIO);   /* the broker's */
	sigprocmask(SIG_BLOCK, &signals.taken, &signals.caller_mask);
	sigaction(SIGCHLD, &normal, &signals.caller_child);
}

/* In the child. What is written to `report` is the errno; it is closed by exec. */
static __attribute__((noreturn)) void execute(const char *path, char **argv, char **sh_argv,
					      char **environment, int report)
{
	int error;

	sigaction(SIGCHLD, &signals.caller_child, NULL);
	sigprocmask(SIG_SETMASK, &signals.caller_mask, NULL);
	execve(path, argv, environment);
	if (errno == ENOEXEC && sh_argv)
		execve(_PATH_BSHELL, sh_argv, environment);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(EXIT_REFUSED);
}

pid_t run_start(const char *path, char **argv, char **sh_argv, char **environment)
{
	int report[2], error = 0;
	ssize_t bytes;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0)
		error = errno;
	if (pid == 0)
		execute(path, argv, sh_argv, environment, report[1]);
	close(report[1]);
	do
		bytes = pid > 0 ? read(report[0], &error, sizeof(error)) : 0;
	while (bytes < 0 && errno == EINTR);
	close(report[0]);
	if (!error)
		return pid;
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return -error;
}

struct shadow {
	pid_t pid;
	int status;
	bool has_ended, is_stopped;
	bool was_stopped; /* we were, with it; a SIGCONT for all of the group comes next */
};

/*
 * The terminal, or the program itself, stopped it: the shell waits for us to stop, too. By SIGSTOP
 * somebody stopped it alone, who will not know of us. The signal is the same: it is discarded where
 * nobody could continue us.
 */
static void stop_like(struct shadow *shadow, int number)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	struct sigaction before;
	sigset_t one;

	if (number != SIGTSTP && number != SIGTTIN && number != SIGTTOU)
		return;
	sigaction(number, &normal, &before);
	sigemptyset(&one);
	sigaddset(&one, number);
	kill(getpid(), number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	if (sigismember(&signals.taken, number))
		sigprocmask(SIG_BLOCK, &one, NULL);
	sigaction(number, &before, NULL);
	shadow->was_stopped = true;
}

/* Every child that has something to say: orphans come to us when we are a container's first
 * process. */
static void reap(struct shadow *shadow)
{
	int status, stopped_by = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
		if (pid != shadow->pid)
			continue;
		shadow->is_stopped = WIFSTOPPED(status);
		stopped_by = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			shadow->has_ended = true;
			shadow->status = status;
		}
	}
	if (stopped_by)
		stop_like(shadow, stopped_by);
}

static void pass_on(struct shadow *shadow, const siginfo_t *info)
{
	if (info->si_signo == SIGPIPE || (info->si_code != SI_USER && info->si_code != SI_QUEUE))
		return;
	/* What it sends to its parent, or to its whole group, is not for itself. */
	if (info->si_pid == shadow->pid)
		return;
	if (info->si_signo == SIGCONT && shadow->was_stopped) {
		reap(shadow);
		shadow->was_stopped = false;
		if (!shadow->is_stopped)
			return;
	}
	if (shadow->has_ended)
		return;
	if (info->si_code == SI_QUEUE)
		sigqueue(shadow->pid, info->si_signo, info->si_value);
	else
		kill(shadow->pid, info->si_signo);
}

int run_wait(pid_t pid)
{
	struct shadow shadow = { .pid = pid };
	siginfo_t info;

	reap(&shadow);
	while (!shadow.has_ended) {
		if (sigwaitinfo(&signals.taken, &info) < 0)
			continue;
		if (info.si_signo == SIGCHLD)
			reap(&shadow);
		else if (info.si_signo == SIGIO)
			broker_serve();
		else
			pass_on(&shadow, &info);
	}
	return shadow.status;
}

void run_release_descriptors(int keep_output)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		if (!keep_output)
			dup2(null, STDOUT_FILENO);
	}
	close_range(STDERR_FILENO + 1, BROKER_FIRST - 1, 0);
	close_range(BROKER_LAST + 1, ~0U, 0);
}

void run_end_like(int status)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	const struct rlimit none = { 0, 0 };
	sigset_t one;

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	/* the limit does not hold where core files go through a pipe */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	sigaction(WTERMSIG(status), &normal, NULL);
	sigemptyset(&one);
	sigaddset(&one, WTERMSIG(status));
	kill(getpid(), WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	_exit(128 + WTERMSIG(status)); /* a container's first process survives its own signals */
}
