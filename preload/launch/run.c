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
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
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

/* In the child, which waits for the end of `wait`, unless -1. What is written to `report` is the
 * errno; it is closed by exec. */
static __attribute__((noreturn)) void execute(const char *path, char **argv, char **sh_argv,
					      char **environment, int wait, int report)
{
	int error;
	char none;

	while (wait >= 0 && read(wait, &none, 1) < 0 && errno == EINTR)
		;
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

/* A process that is looked at stops once more at its end. */
static void reap_failed(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, pid, NULL, NULL);
}

pid_t run_start(const char *path, char **argv, char **sh_argv, char **environment,
		const struct run_watch *watch)
{
	const bool waits = watch && watch->forked;
	int report[2], wait[2] = { -1, -1 }, error = 0;
	ssize_t bytes;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	if (waits && pipe2(wait, O_CLOEXEC) < 0)
		error = errno;
	pid = error ? -1 : fork();
	if (pid < 0 && !error)
		error = errno;
	if (pid == 0) {
		if (waits)
			close(wait[1]);
		execute(path, argv, sh_argv, environment, wait[0], report[1]);
	}
	close(report[1]);
	if (pid > 0 && waits)
		watch->forked(watch->self, pid);
	if (waits && wait[0] >= 0) {
		close(wait[0]);
		close(wait[1]);
	}
	do
		bytes = pid > 0 ? read(report[0], &error, sizeof(error)) : 0;
	while (bytes < 0 && errno == EINTR);
	close(report[0]);
	if (!error)
		return pid;
	if (pid > 0)
		reap_failed(pid);
	return -error;
}

struct shadow {
	pid_t pid;
	const struct run_watch *watch;
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

/* As waitpid of any child; that the program has ended is told before it is reaped. */
static pid_t next_child(const struct shadow *shadow, int *status)
{
	const int what = WSTOPPED | WCONTINUED | WNOHANG;
	siginfo_t info = { .si_pid = 0 };

	if (!shadow->watch || !shadow->watch->ended)
		return waitpid(-1, status, what);
	if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | what) < 0 || !info.si_pid)
		return 0;
	if (info.si_pid == shadow->pid && info.si_code != CLD_STOPPED &&
	    info.si_code != CLD_TRAPPED && info.si_code != CLD_CONTINUED)
		shadow->watch->ended(shadow->watch->self);
	return waitpid(info.si_pid, status, what);
}

/* The stop signal that the program stands still by, or 0. */
static int stop_signal(const struct shadow *shadow, pid_t pid, int status)
{
	if (shadow->watch && shadow->watch->stopped)
		return shadow->watch->stopped(shadow->watch->self, pid, status);
	return pid == shadow->pid ? WSTOPSIG(status) : 0;
}

/* Every child that has something to say: orphans come to us when we are a container's first
 * process. */
static void reap(struct shadow *shadow)
{
	int status, stopped_by = 0;
	pid_t pid;

	while ((pid = next_child(shadow, &status)) > 0) {
		const int number = WIFSTOPPED(status) ? stop_signal(shadow, pid, status) : 0;

		if (pid != shadow->pid)
			continue;
		shadow->is_stopped = number != 0;
		stopped_by = number;
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

/* The next signal, or an error once it is time for the watch. */
static int next_signal(const struct shadow *shadow, siginfo_t *info)
{
	const struct run_watch *watch = shadow->watch;
	int64_t ns;

	if (!watch || !watch->tick)
		return sigwaitinfo(&signals.taken, info);
	ns = watch->tick(watch->self);
	return sigtimedwait(&signals.taken, info,
			    &(struct timespec){ ns / 1000000000, ns % 1000000000 });
}

int run_wait(pid_t pid, const struct run_watch *watch)
{
	struct shadow shadow = { .pid = pid, .watch = watch };
	siginfo_t info;

	reap(&shadow);
	while (!shadow.has_ended) {
		if (next_signal(&shadow, &info) < 0)
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
