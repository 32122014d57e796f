/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stopping the program once more at its end, when its memory is still there, by ptrace(2):
 * PTRACE_SEIZE with PTRACE_O_TRACEEXIT on the main thread. It costs a stop for each signal that the
 * thread gets, too (some 46 us instead of 3), and while it lasts nobody else can trace the program.
 *
 * On demand (EXIT_STOP_FALLS) each thread of the program stops before each system call, too, to see
 * those that give memory back. A high of the resident memory ends with one of them, or with the
 * program, so none is missed but where the kernel itself takes pages. No filter is used for it:
 * that would outlive us, and whoever inherits it would find the calls refused.
 */
#ifndef XALLOC_RSS_EXIT_STOP_H
#define XALLOC_RSS_EXIT_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum exit_stop_mode { EXIT_STOP_AUTO, EXIT_STOP_ON, EXIT_STOP_OFF, EXIT_STOP_FALLS };

struct exit_stop {
	enum exit_stop_mode mode;
	pid_t program, held; /* held: the thread that is traced; 0: none */
	uint64_t signal_stops;
	uint64_t calls, falls; /* that it stopped before: all, and those that give memory back */
	const char *why_not;   /* it is off, or was given up; NULL: it is not */
};

enum exit_stop_event {
	EXIT_STOP_NONE,    /* nothing of interest: the thread goes on */
	EXIT_STOP_STOPPED, /* the program stands still by a stop signal: *number */
	EXIT_STOP_EXIT,    /* a thread is about to end: exit_stop_resume lets it */
	EXIT_STOP_FALL,    /* one is about to give memory back: exit_stop_go_on lets it */
};

/* why_not: it is off for that reason from the beginning, or NULL. */
void exit_stop_init(struct exit_stop *e, enum exit_stop_mode mode, const char *why_not);

/* Before the program is executed. */
void exit_stop_seize(struct exit_stop *e, pid_t program);

/* After it is executed; before that nobody answers its stops. */
void exit_stop_begin(const struct exit_stop *e);

/* What waitpid said of a child that is stopped. elapsed: ns since the start. */
enum exit_stop_event exit_stop_handle(struct exit_stop *e, pid_t pid, int status, int64_t elapsed,
				      int *number);

/* After EXIT_STOP_EXIT: how many threads of the program go on when that one has ended, and one of
 * them in *successor; 0: the process ends. */
unsigned exit_stop_lives_on(const struct exit_stop *e, pid_t *successor);

/* After EXIT_STOP_FALL. */
void exit_stop_go_on(const struct exit_stop *e, pid_t pid);

/* After EXIT_STOP_EXIT. successor: the thread whose exit is the next to be stopped at; 0: none. */
void exit_stop_resume(struct exit_stop *e, pid_t successor);

#endif
