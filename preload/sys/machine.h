/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the machine and the system around a process are, as far as that changes allocation. Each
 * fills `room` bytes with text that ends in NUL: 0, or -1 and "" when it is not known.
 */
#ifndef XALLOC_SYS_MACHINE_H
#define XALLOC_SYS_MACHINE_H

#include <stddef.h>

int machine_kernel(char *to, size_t room); /* "Linux 6.1.0" */
int machine_cpu(char *to, size_t room);    /* the brand string; "" when it has none */
int machine_thp(char *to, size_t room);    /* "always", "madvise" or "never" */

/* A file of the calling process's group in the unified hierarchy, up to its first line end:
 * "memory.max" ("max" is no limit), "memory.peak". */
int machine_cgroup(const char *file, char *to, size_t room);

#endif
