/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the allocator says of its own heap at a clean end: a cross-check of the trace. To say it
 * most take a lock: they are asked only where nobody can hold that, so that no end waits for ever.
 * The functions are found in the allocator's symbol table, never by dlsym.
 */
#ifndef XALLOC_HEAP_SAID_H
#define XALLOC_HEAP_SAID_H

#include <stdint.h>

/*
 * Of an allocator that is not glibc's, outside any hook, fp: the caller's frame. The enum
 * xt_heap_state: may it be asked, and if not, why.
 */
uint32_t heap_said_state(const uint64_t *fp);

/* Writes the record, and asks for it if state is XT_HEAP_MEASURED. The thread has a stream. */
void heap_said_write(uint32_t state, int is_private);

/* Threads of the process besides the caller; -1: nobody can say. */
long heap_said_other_threads(void);

#endif
