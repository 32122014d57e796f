/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the file that is being written, mapped a MiB at a time: address space is the
 * program's. Used by file.c under the file's lock; offsets are the file's.
 */
#ifndef XALLOC_STORE_TAIL_H
#define XALLOC_STORE_TAIL_H

#include <stdint.h>

/* The first mapping, from `offset` on, of the open file. 0 or a negative errno. */
int tail_open(int fd, uint64_t offset);

/* There are no mappings any more. */
void tail_forget(void);

/*
 * [from, to) can be written without a signal; from is not before the free space. Where the kernel
 * gives no more addresses a mapping that is there is used again. -EAGAIN: writers are still in all
 * that would do. -ENOSPC: no memory or no room on the disk, and recording stops.
 */
int tail_ready(uint64_t from, uint64_t to);

/* The page at `offset`, which is where the free space is about to begin, can be written without a
 * signal. 0 or a negative errno, as above; recording does not stop for want of room. */
int tail_move(uint64_t offset);

/* Where that byte is; only of what tail_ready was asked for last. */
uint8_t *tail_at(uint64_t offset);

/* A part of the file on its own, mapped anew; NULL when the kernel will not. bytes is at least a
 * page and lies behind the free space's start. */
uint8_t *tail_map_window(uint64_t offset, uint64_t bytes);

/* Nothing behind `offset` is mapped and ready any more. */
void tail_cut(uint64_t offset);

/* A writer enters the mapping of now (a number), and leaves it: until then it stays. */
unsigned tail_enter(void);
void tail_leave(unsigned mapping);

/* Written pages are the kernel's to keep: they leave the process's resident memory. */
void tail_release_written(void);

#endif
