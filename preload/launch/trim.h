/* SPDX-License-Identifier: Apache-2.0 */
/* The room that a process had reserved in its trace, and could not give back. */
#ifndef XALLOC_LAUNCH_TRIM_H
#define XALLOC_LAUNCH_TRIM_H

#include <stdbool.h>

/*
 * Makes the trace of a process that has ended shorter by the free space at its end, if that is a
 * MiB or more; live windows behind it move up. At each moment between the file is whole. Nothing
 * happens to a file that is in use or is no trace of this version. Its lock is held.
 */
void trim_locked(int fd);

/* The same by its name, and it is locked meanwhile. waits: a moment, for the kernel to let go of
 * it.
 */
void trim_trace(const char *path, bool waits);

#endif
