/* SPDX-License-Identifier: Apache-2.0 */
/* Names of code made at run time, for a process that could not write them itself. */
#ifndef XALLOC_LAUNCH_LATE_NAMES_H
#define XALLOC_LAUNCH_LATE_NAMES_H

#include <stdint.h>

/*
 * Looks in the perf map of process pid, which has ended, for the addresses of its trace that no
 * module held, and writes their names into the live windows, behind other records and into free
 * slots, as long as there is room: some 900 names in any case but rare ones. fd: the trace, open
 * for both, its lock held. Nothing is said: names are an extra.
 */
void late_names_write(int fd, uint32_t pid);

#endif
