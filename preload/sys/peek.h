/* SPDX-License-Identifier: Apache-2.0 */
/* Reading memory of our own process that may not be there. */
#ifndef XALLOC_SYS_PEEK_H
#define XALLOC_SYS_PEEK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "preload/sys/syscall.h"

/* Can the 8 bytes at address `at`, a multiple of 8, be read? Asked by a call that every program may
 * make, also under a seccomp filter: a signal mask to be applied in no way that there is. */
static inline int sys_is_readable(uint64_t at)
{
	return sys_call4(SYS_rt_sigprocmask, -1, at, 0, 8) == -EINVAL;
}

/* Copies up to `bytes` from address `at`. Returns how many: fewer where the memory ends, 0 where
 * there is none, or where the kernel refuses to read for us. */
static inline size_t sys_peek(uint64_t at, void *to, size_t bytes)
{
	const struct iovec local = { to, bytes }, remote = { (void *)(uintptr_t)at, bytes };
	const long got = sys_call6(SYS_process_vm_readv, sys_call0(SYS_getpid), (long)&local, 1,
				   (long)&remote, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

#endif
