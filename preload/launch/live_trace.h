/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a process that runs, opened by another process that writes into it. */
#ifndef XALLOC_LAUNCH_LIVE_TRACE_H
#define XALLOC_LAUNCH_LIVE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/store/slot.h"

/* The file, its lock held by that process; or -1. */
int live_trace_open(const char *path, uint32_t pid, uint64_t start_time);

/* After file_attach and slots_init: the windows that the process has added since. known: how many
 * are followed already. */
bool live_trace_follow(int fd, uint32_t *known);

/* A chunk of our own. 0, or a negative errno: -EAGAIN after so many tries of a millisecond, the
 * file's lock was busy. All signals must be blocked: nobody is to find it held by who is gone. */
int live_trace_commit(const struct slot *slot, unsigned tries);

#endif
