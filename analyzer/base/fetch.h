/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fetching memory ahead. */
#ifndef XALLOC_BASE_FETCH_H
#define XALLOC_BASE_FETCH_H

/* The line of memory at that address, which may be anything, will be needed soon. No
 * __builtin_prefetch: gcc 12 drops calls of functions that do nothing else. */
static inline void fetch_line(const void *memory)
{
#ifdef __x86_64__
	__asm__ volatile("prefetcht0 %0" : : "m"(*(const char *)memory));
#else
	__builtin_prefetch(memory);
#endif
}

#endif
