/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that come before our own relocation (an ifunc resolver of an object that is relocated
 * before us): a static pool serves them, with nothing but PC-relative accesses, and remembers what
 * was asked for. Its blocks are known for ever: nobody gives them to the allocator.
 */
#ifndef XALLOC_EARLY_H
#define XALLOC_EARLY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, or NULL when the pool (64 KB) is used up. pc is the caller. */
void *early_alloc(size_t size, size_t align, uint64_t pc);

int early_owns(const void *p);
size_t early_size(const void *p);

/* Calls fn for each block handed out, once. */
void early_each(void (*fn)(void *arg, uint64_t size, uint64_t addr, uint64_t pc), void *arg);

#endif
