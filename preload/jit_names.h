/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code without a module, as just-in-time compilers tell them: /tmp/perf-PID.map, and a
 * jitdump, jit-PID.dump, which perf finds by an executable mapping of the file, and so do we. They
 * are read at a clean end, and of the addresses that are in the trace the names are written into
 * it.
 */
#ifndef XALLOC_JIT_NAMES_H
#define XALLOC_JIT_NAMES_H

#include <stdint.h>

/* Nothing is noted yet. */
void jit_names_init(void);

/* Frame id `id` is of an address that no module holds. Of the first 65,536 a name is looked for.
 * Lock-free. */
void jit_names_note(uint64_t address, uint32_t id);

/* For the process of number pid, which is this one: looks for names and writes the records. Where a
 * place was used more than once the last entry of a file counts, and that of a jitdump more. Of
 * each file at most 256 MiB are read; a file of another user is not. Once. */
void jit_names_write(uint32_t pid);

#endif
