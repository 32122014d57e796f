/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a program as if the caller had, and being its shadow: it has the caller's process group,
 * descriptors, signal mask and dispositions; signals that a process sends to us reach it; it stops,
 * and so do we.
 */
#ifndef XALLOC_LAUNCH_RUN_H
#define XALLOC_LAUNCH_RUN_H

#include <sys/types.h>

/* Signals are ours from here on: blocked, and taken by run_wait. */
void run_prepare(void);

/* The pid once the program is executed, or a negative errno: it could not be. sh_argv, unless NULL,
 * is given to /bin/sh when the file is none that the kernel runs. */
pid_t run_start(const char *path, char **argv, char **sh_argv, char **environment);

/* Until it has ended; the status as of waitpid. It is reaped. */
int run_wait(pid_t pid);

/* Lets go of the descriptors that are the program's: who waits for their end shall not wait for us.
 * Standard error stays, standard output if it will be needed, and the broker's. */
void run_release_descriptors(int keep_output);

/* Ends as the program did: with its status, or by the same signal without a core file. */
__attribute__((noreturn)) void run_end_like(int status);

#endif
