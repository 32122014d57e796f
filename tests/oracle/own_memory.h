/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mmap and munmap by the kernel itself: libc's, from within the library, would be its hooks. */
#ifndef XALLOC_TESTS_ORACLE_OWN_MEMORY_H
#define XALLOC_TESTS_ORACLE_OWN_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

#include "preload/sys/syscall.h"

static inline void *own_map(void *at, size_t bytes, int protection, int flags, int fd, long offset)
{
	const long result =
		sys_call6(SYS_mmap, (long)at, (long)bytes, protection, flags, fd, offset);

	return sys_is_error(result) ? MAP_FAILED : (void *)result;
}

static inline void own_unmap(void *start, size_t bytes)
{
	sys_call2(SYS_munmap, start, bytes);
}

#endif
