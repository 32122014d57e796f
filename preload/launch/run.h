/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a program as if the caller had, and being its shadow: it has the caller's process group,
 * descriptors, signal mask and dispositions; signals that a process sends to us reach it; it stops,
 * and so do we.
 */
#ifndef XALLOC_LAUNCH_RUN_H
#define XALLOC_LAUNCH_RUN_H

#include <stdint.h>
#include <sys/types.h>

/* Who looks at the program meanwhile, from this thread. Any may be NULL. */
struct run_watch {
	void *self; /* given to each */
	/* The process is there and waits; then it executes the program. */
	void (*forked)(void *self, pid_t pid);
	/* Called at once and when its time has come, or earlier. Nanoseconds until the next. */
	int64_t (*tick)(void *self);
	/* waitpid says that a process or thread is stopped. The stop signal that the program stands
	 * still by; 0: none does. */
	int (*stopped)(void *self, pid_t pid, int status);
	/* The program has ended and is not reaped yet. */
	void (*ended)(void *self);
};

/* Signals are ours from here on: blocked, and taken by run_wait. Once. */
void run_prepare(void);

/* The pid once the program is executed, or a negative errno: it could not be. sh_argv, unless NULL,
 * is given to /bin/sh when the file is none that the kernel runs. watch: NULL is nobody. */
pid_t run_start(const char *path, char **argv, char **sh_argv, char **environment,
		const struct run_watch *watch);

/* Until it has ended; the status as of waitpid. It is reaped. */
int run_wait(pid_t pid, const struct run_watch *watch);

/* Lets go of the descriptors that are the program's: who waits for their end shall not wait for us.
 * Standard error stays, standard output if it will be needed, and the broker's. */
void run_release_descriptors(int keep_output);

/* Ends as the program did: with its status, or by the same signal without a core file. */
__attribute__((noreturn)) void run_end_like(int status);

#endif
