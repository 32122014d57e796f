/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says of a process. */
#ifndef XALLOC_SYS_PROC_H
#define XALLOC_SYS_PROC_H

#include <stdint.h>

struct proc_stat {
	uint64_t parent;
	uint64_t start_time; /* clock ticks since boot: with the number it names a process */
};

/* pid 0: the calling process. 0, or -1 with zeros in *stat: no such process, or no /proc. */
int proc_stat(uint64_t pid, struct proc_stat *stat);

/* Is the process under a seccomp filter, as far as /proc tells? prctl could be asked, which a
 * filter may kill for. Takes 4 KB of stack. */
int proc_has_filter(void);

#endif
