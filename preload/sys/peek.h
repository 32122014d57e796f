/* SPDX-License-Identifier: Apache-2.0 */
/* Reading memory of our own process that may not be there. */
#ifndef XALLOC_SYS_PEEK_H
#define XALLOC_SYS_PEEK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "preload/sys/syscall.h"

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
