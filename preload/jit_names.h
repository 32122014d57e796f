/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code without a module (sys/perf_names.h). At a clean end those of the addresses that are
 * in the trace are written into it.
 */
#ifndef XALLOC_JIT_NAMES_H
#define XALLOC_JIT_NAMES_H

#include <stdint.h>

/* Nothing is noted yet. */
void jit_names_init(void);

/* Frame id `id` is of an address that no module holds. Of the first 65,536 a name is looked for.
 * Lock-free. */
void jit_names_note(uint64_t address, uint32_t id);

/* Looks for names and writes the records. pid: our own number. Once. A jitdump's count more than a
 * perf map's. */
void jit_names_write(uint32_t pid);

#endif
