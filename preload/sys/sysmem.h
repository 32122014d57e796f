/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of our own: anonymous mappings, never the target's heap. Not huge pages: they would show
 * in the target's resident memory.
 */
#ifndef XALLOC_SYS_SYSMEM_H
#define XALLOC_SYS_SYSMEM_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed pages, at least `bytes`; NULL when there are none. Reports the range as a record of the
 * trace once records can be written (records.h). */
void *sysmem_new(size_t bytes);

/* The same without the record: for who has no stack to write one. The range is known to
 * sysmem_each. */
void *sysmem_new_quietly(size_t bytes);
void sysmem_free(void *start, size_t bytes);

/* The ranges handed out so far, for the trace: calls fn(start, end) for each that lives, at most
 * 256. */
void sysmem_each(void (*fn)(uintptr_t start, uintptr_t end));

#endif
