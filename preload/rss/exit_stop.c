/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/exit_stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "preload/launch/message.h"
#include "preload/launch/procfs.h"

/* `auto` gives up when signals have cost the program more than a hundredth of its time. */
#define STOP_NS 46000
#define STOPS_ALWAYS 50

/* Looking whether other threads are about to end. */
#define NAP_NS 1000000
#define NAPS 2

#ifndef MADV_DONTNEED_LOCKED /* glibc 2.36 */
#define MADV_DONTNEED_LOCKED 24
#endif

#define SYSCALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

void exit_stop_init(struct exit_stop *e, enum exit_stop_mode mode, const char *why_not)
{
	*e = (struct exit_stop){ .mode = mode, .why_not = why_not };
	if (mode == EXIT_STOP_OFF)
		e->why_not = "--exit-snapshot=off";
}

static bool is_for_falls(const struct exit_stop *e)
{
	return e->mode == EXIT_STOP_FALLS;
}

/* Threads that a traced one makes are traced as it is. */
static bool seize(const struct exit_stop *e, pid_t thread)
{
	const long options = PTRACE_O_TRACEEXIT |
			     (is_for_falls(e) ? PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE : 0);

	return ptrace(PTRACE_SEIZE, thread, NULL, (void *)options) == 0;
}

static void go_on(const struct exit_stop *e, pid_t thread, int number)
{
	ptrace(is_for_falls(e) ? PTRACE_SYSCALL : PTRACE_CONT, thread, NULL, (void *)(long)number);
}

void exit_stop_seize(struct exit_stop *e, pid_t program)
{
	e->program = program;
	if (e->why_not)
		return;
	if (seize(e, program))
		e->held = program;
	else
		e->why_not = text_new("ptrace: %s", strerror(errno));
}

void exit_stop_begin(const struct exit_stop *e)
{
	/* a thread goes on to its next system call only from a stop */
	if (is_for_falls(e) && e->held)
		ptrace(PTRACE_INTERRUPT, e->held, NULL, NULL);
}

static bool is_too_often(const struct exit_stop *e, int64_t elapsed)
{
	return e->mode == EXIT_STOP_AUTO && e->signal_stops > STOPS_ALWAYS &&
	       (int64_t)e->signal_stops * STOP_NS > elapsed / 100;
}

/* The signal goes on to the thread. */
static void pass_signal(struct exit_stop *e, pid_t thread, int number, int64_t elapsed)
{
	e->signal_stops++;
	if (!is_too_often(e, elapsed)) {
		go_on(e, thread, number);
		return;
	}
	ptrace(PTRACE_DETACH, thread, NULL, (void *)(long)number);
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

/* One of the program's threads that is traced beside the one that is held. */
static bool is_other_thread(const struct exit_stop *e, pid_t pid)
{
	return is_for_falls(e) && e->held && pid != e->held && tgkill(e->program, pid, 0) == 0;
}

static bool gives_back(uint64_t number, const uint64_t *argument)
{
	switch (number) {
	case SYS_munmap:
	case SYS_mremap:
	case SYS_brk:
	case SYS_shmdt:
	case SYS_execve:
	case SYS_execveat:
	case SYS_ftruncate:
	case SYS_truncate:
	case SYS_process_madvise:
		return true;
	case SYS_mmap:
		return argument[3] & MAP_FIXED;
	case SYS_fallocate:
		return argument[1] != 0;
	case SYS_madvise:
		return argument[2] == MADV_DONTNEED || argument[2] == MADV_DONTNEED_LOCKED ||
		       argument[2] == MADV_FREE || argument[2] == MADV_REMOVE ||
		       argument[2] == MADV_PAGEOUT;
	default:
		return false;
	}
}

/* It stopped at a system call: is it before one that gives memory back? */
static bool is_fall(struct exit_stop *e, pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	e->calls++;
	if (!gives_back(info.entry.nr, (const uint64_t *)info.entry.args))
		return false;
	e->falls++;
	return true;
}

enum exit_stop_event exit_stop_handle(struct exit_stop *e, pid_t pid, int status, int64_t elapsed,
				      int *number)
{
	const int event = status >> 16;

	follow_exec(e, pid);
	*number = WSTOPSIG(status);
	/* made with CLONE_PTRACE, another process, or not traced at all */
	if (pid != e->program && pid != e->held && !is_other_thread(e, pid))
		ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)(event ? 0 : *number));
	if (!e->held || (pid != e->held && !is_other_thread(e, pid)))
		return pid == e->program && !event ? EXIT_STOP_STOPPED : EXIT_STOP_NONE;
	if (event == PTRACE_EVENT_EXIT && pid == e->held)
		return EXIT_STOP_EXIT;
	if (event == PTRACE_EVENT_STOP && is_stop_signal(*number)) {
		/* it stands still, as others do that are not traced, until a SIGCONT */
		ptrace(PTRACE_LISTEN, pid, NULL, NULL);
		return pid == e->held ? EXIT_STOP_STOPPED : EXIT_STOP_NONE;
	}
	if (*number == SYSCALL_STOP && is_fall(e, pid))
		return EXIT_STOP_FALL;
	if (event || *number == SYSCALL_STOP)
		go_on(e, pid, 0);
	else
		pass_signal(e, pid, *number, elapsed);
	return EXIT_STOP_NONE;
}

void exit_stop_go_on(const struct exit_stop *e, pid_t pid)
{
	go_on(e, pid, 0);
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
	go_on(e, e->held, 0);
	e->held = 0;
	if (is_for_falls(e)) { /* all are traced already */
		e->held = successor;
		return;
	}
	/* Not before that: a thread that executes a program waits for the end of all others, and
	 * who wants to trace it for that. Then it is the process's first thread. */
	if (successor && seize(e, successor))
		e->held = successor;
	else if (successor && seize(e, e->program))
		e->held = e->program;
}
