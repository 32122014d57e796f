/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a seccomp filter says of system calls, found out by running it, before the kernel does.
 * Classic BPF as seccomp(2) and linux/filter.h describe it.
 */
#ifndef XALLOC_SYS_FILTER_H
#define XALLOC_SYS_FILTER_H

#include <stdint.h>

#include "preload/sys/syscall.h"

/*
 * Adds to `denied` the bit of each call that the filter does not let through in all cases: where it
 * looks at what we do not know (arguments, but for a few calls; the caller's address) that counts
 * as denied. program: a struct sock_fprog of the caller's, anything at all. -1: it cannot be read,
 * and the kernel will refuse it.
 */
int filter_denies(const void *program, uint64_t denied[SYS_NUMBERS / 64]);

/* What strict mode leaves, of what we use: write. */
void filter_strict(uint64_t denied[SYS_NUMBERS / 64]);

#endif
