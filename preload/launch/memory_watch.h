/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper's other work: it looks at the resident memory of its process from outside, and at new
 * highs takes a residency snapshot of it while it goes on, into the process's trace. So a high is
 * seen that comes while the program computes, or falls in the midst of a call.
 *
 * The process waits for nothing, but its own mmap or munmap may, for some tenths of a millisecond,
 * while pages are looked at. A snapshot is of the moment when it begins; how many events came
 * before it was complete stands with it (struct xt_snapshot_outside).
 *
 * Of one core it takes 2 %, and some milliseconds at the beginning.
 */
#ifndef XALLOC_LAUNCH_MEMORY_WATCH_H
#define XALLOC_LAUNCH_MEMORY_WATCH_H

#include <stdint.h>

/* The process whose trace is attached and open as fd. It may not be possible (another user's, not
 * dumpable, no /proc), or not wanted: then the others do nothing. Allocates nothing. */
void memory_watch_begin(int fd, uint32_t pid, uint64_t start_time);

#define MEMORY_WATCH_NEVER INT64_MAX

/* A look, if it is time for one; nanoseconds until the next. All windows are known to slot.h. */
int64_t memory_watch_look(void);

#endif
