/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a process that has ended. */
#ifndef XALLOC_LAUNCH_ENDED_H
#define XALLOC_LAUNCH_ENDED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process, as traces name it. */
struct ended_process {
	pid_t pid;
	uint64_t start_time; /* field 22 of /proc/PID/stat; 0: there is no /proc */
	uint64_t since_ns;   /* CLOCK_REALTIME: then an older trace is another process's */
};

/* While it is there, or not yet reaped. since_ns: some time before its start. */
struct ended_process ended_process_of(pid_t pid, uint64_t since_ns);

struct ended_trace {
	const char *path;    /* of its last image that was recorded; one of `session` */
	uint32_t image;      /* which that is */
	unsigned images;     /* that have a trace */
	uint64_t events;     /* calls recorded in this one */
	uint64_t disk_bytes; /* without holes */
	char **session; /* all traces of the session that the process began, by name, then NULL */
	unsigned traces, room;
};

/* Looks in `directory` among the names that begin with `prefix`. path is NULL when there is none.
 */
struct ended_trace ended_find(const struct ended_process *process, const char *directory,
			      const char *prefix);

/* Where the name, a link of ours, points to if that may be a trace that had to be made elsewhere
 * (preload/trace_place.h), or NULL. To be freed. */
char *ended_elsewhere(const char *name);

/* Is the open file a trace of the session that the process began? */
bool ended_is_of_session(int fd, const struct ended_process *process);

/* Locks the open trace; false: its process lives, or another one that shares its memory. */
bool ended_lock(int fd);

/*
 * Writes into the trace how the process ended, by its wait status, where that says something else
 * or nothing: a signal, or an end that did not pass through libc; and names of code that it made at
 * run time, which it could not itself. Nothing is written when the file's lock is held (somebody
 * shares its memory, and goes on recording), when the process went on as another image, or when the
 * file is another process's by now.
 */
void ended_mark(const struct ended_process *process, const char *path, int status);

#endif
