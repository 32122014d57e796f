/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of our own: anonymous mappings, never the target's heap. Not huge pages: they would show
 * in the target's resident memory.
 */
#ifndef XALLOC_SYS_SYSMEM_H
#define XALLOC_SYS_SYSMEM_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed pages, at least `bytes`; NULL when there are none. */
void *sysmem_new(size_t bytes);

/* The same of addresses only: they count as no memory, and must not be touched before sysmem_use of
 * their pages, which is 0 or a negative errno. */
void *sysmem_reserve(size_t bytes);
int sysmem_use(void *start, size_t bytes);

void sysmem_free(void *start, size_t bytes);

/* Is told of each new range; NULL: nobody is. */
extern void (*sysmem_watch)(uintptr_t start, uintptr_t end);

/* The ranges handed out so far, for the trace: calls fn(start, end) for each that lives, at most
 * 256. */
void sysmem_each(void (*fn)(uintptr_t start, uintptr_t end));

#endif
