/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording without system calls, for a process that has forbidden itself those that recording
 * needs. The chunks are filled in memory that was mapped before, and stay there, in the file; under
 * xalloc record the helper, which is another process, takes them out. When all are full recording
 * stops, and calls are counted as lost.
 */
#ifndef XALLOC_SEAL_H
#define XALLOC_SEAL_H

#include <stdint.h>

/* While all calls may still be made: a 64th of XALLOC_RESERVE of slots (with a helper a quarter of
 * that), memory for some threads, room for the totals; a helper is asked for and waited for a
 * moment. On a private stack. */
void seal_close(void);

/* It was for nothing: the calls may be made. */
void seal_open(void);

int seal_is_closed(void);

/* The end of the process. 1: a helper has committed what was left, and writes the totals; 0: they
 * are the caller's to write, and what was left stays in its slots. */
int seal_drain(void);

#endif
