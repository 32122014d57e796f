/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says of a process or thread. `of` is "/proc/PID" or "/proc/PID/task/TID". */
#ifndef XALLOC_LAUNCH_PROCFS_H
#define XALLOC_LAUNCH_PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCFS_PATH_BYTES 64 /* of `of`, and for what stands behind it */

/* What is resident, by an open statm: bytes; 0 when all was let go; -1: no such process. anonymous,
 * unless NULL: of these without a file, no shared memory. */
int64_t procfs_resident(int statm, uint64_t *anonymous);

struct procfs_status {
	uint64_t peak_bytes;       /* VmHWM */
	uint64_t page_table_bytes; /* VmPTE */
	uint64_t swap_bytes;       /* VmSwap */
	uint64_t hugetlb_bytes;    /* HugetlbPages */
	uint64_t threads;
	bool is_killed; /* SIGKILL is pending: it has not died of it yet */
};

/* 0, or a negative errno. Of a process without memory all sizes are 0. */
int procfs_status(struct procfs_status *status, const char *of);

struct procfs_stat {
	char state; /* R, S, ..., Z */
	pid_t parent;
	bool is_exiting;
	uint64_t minor_faults, major_faults;             /* of the process, not of its children */
	uint64_t child_minor_faults, child_major_faults; /* of those that were waited for */
	int64_t user_ns, system_ns, child_user_ns, child_system_ns; /* to a clock tick */
};

/* 0, or a negative errno. It is there until the process is reaped. */
int procfs_stat(struct procfs_stat *stat, const char *of);

/* A thread of the process that is not about to end, and not `but`; 0: there is none. *count, unless
 * NULL, is how many there are. */
pid_t procfs_living_thread(pid_t pid, pid_t but, unsigned *count);

#endif
