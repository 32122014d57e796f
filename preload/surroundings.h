/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What around the process may change its allocation: kernel, CPU, libc, allocator, huge pages,
 * memory limit, variables. Written as environment records, for comparisons between runs.
 */
#ifndef XALLOC_SURROUNDINGS_H
#define XALLOC_SURROUNDINGS_H

/* Reads it, once for a process and its fork children. */
void surroundings_read(char *const *env);

/* Writes the records. */
void surroundings_record(void);

#endif
