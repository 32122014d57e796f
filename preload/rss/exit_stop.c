/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/exit_stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "preload/launch/message.h"
#include "preload/rss/procfs.h"

/* `auto` gives up when signals have cost the program more than a hundredth of its time. */
#define STOP_NS 46000
#define STOPS_ALWAYS 50

/* Looking whether other threads are about to end. */
#define NAP_NS 1000000
#define NAPS 2

void exit_stop_init(struct exit_stop *e, enum exit_stop_mode mode, const char *why_not)
{
	*e = (struct exit_stop){ .mode = mode, .why_not = why_not };
	if (mode == EXIT_STOP_OFF)
		e->why_not = "--exit-snapshot=off";
}

static bool seize(pid_t thread)
{
	return ptrace(PTRACE_SEIZE, thread, NULL, (void *)PTRACE_O_TRACEEXIT) == 0;
}

void exit_stop_seize(struct exit_stop *e, pid_t program)
{
	e->program = program;
	if (e->why_not)
		return;
	if (seize(program))
		e->held = program;
	else
		e->why_not = text_new("ptrace: %s", strerror(errno));
}

static bool is_too_often(const struct exit_stop *e, int64_t elapsed)
{
	return e->mode == EXIT_STOP_AUTO && e->signal_stops > STOPS_ALWAYS &&
	       (int64_t)e->signal_stops * STOP_NS > elapsed / 100;
}

/* The signal goes on to the thread. */
static void pass_signal(struct exit_stop *e, int number, int64_t elapsed)
{
	void *const data = (void *)(long)number;

	e->signal_stops++;
	if (!is_too_often(e, elapsed)) {
		ptrace(PTRACE_CONT, e->held, NULL, data);
		return;
	}
	ptrace(PTRACE_DETACH, e->held, NULL, data);
	e->held = 0;
	e->why_not = text_new("given up after %llu signals, each of which stopped the program",
			      (unsigned long long)e->signal_stops);
}

static bool is_stop_signal(int number)
{
	return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* A thread that executes a program goes on as the process's first one. */
static void follow_exec(struct exit_stop *e, pid_t pid)
{
	if (e->held && pid == e->program && tgkill(e->program, e->held, 0) < 0)
		e->held = pid;
}

enum exit_stop_event exit_stop_handle(struct exit_stop *e, pid_t pid, int status, int64_t elapsed,
				      int *number)
{
	const int event = status >> 16;

	follow_exec(e, pid);
	*number = WSTOPSIG(status);
	if (pid != e->program && pid != e->held) /* made with CLONE_PTRACE, or not traced at all */
		ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)*number);
	if (!e->held || pid != e->held)
		return pid == e->program && !event ? EXIT_STOP_STOPPED : EXIT_STOP_NONE;
	if (event == PTRACE_EVENT_EXIT)
		return EXIT_STOP_EXIT;
	if (event == PTRACE_EVENT_STOP && is_stop_signal(*number)) {
		/* it stands still, as others do that are not traced, until a SIGCONT */
		ptrace(PTRACE_LISTEN, pid, NULL, NULL);
		return EXIT_STOP_STOPPED;
	}
	if (event)
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	else
		pass_signal(e, *number, elapsed);
	return EXIT_STOP_NONE;
}

unsigned exit_stop_lives_on(const struct exit_stop *e, pid_t *successor)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	unsigned count;

	*successor = 0;
	if (ptrace(PTRACE_PEEKUSER, e->held, offsetof(struct user, regs.orig_rax), NULL) ==
	    SYS_exit_group)
		return 0;
	*successor = procfs_living_thread(e->program, e->held, &count);
	/* If it was killed the others are, too, unless one of them executes a program. For a moment
	 * that does not show. */
	for (int i = 0; count && i < NAPS; i++) {
		nanosleep(&nap, NULL);
		*successor = procfs_living_thread(e->program, e->held, &count);
	}
	return count;
}

void exit_stop_resume(struct exit_stop *e, pid_t successor)
{
	ptrace(PTRACE_CONT, e->held, NULL, NULL);
	e->held = 0;
	/* Not before that: a thread that executes a program waits for the end of all others, and
	 * who wants to trace it for that. Then it is the process's first thread. */
	if (successor && seize(successor))
		e->held = successor;
	else if (successor && seize(e->program))
		e->held = e->program;
}
