/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of files, without their holes. */
#ifndef XALLOC_LAUNCH_COPY_H
#define XALLOC_LAUNCH_COPY_H

#include <sys/types.h>

/*
 * What of [at, end) of the open file `from` is no hole comes to the same distance from `place` in
 * `to`, which is zeros there. The two may be one file when the ranges do not overlap. 0, or a
 * negative errno.
 */
int copy_data(int to, off_t place, int from, off_t at, off_t end);

/* All of it, holes or not. */
int copy_all(int to, off_t place, int from, off_t at, off_t end);

#endif
