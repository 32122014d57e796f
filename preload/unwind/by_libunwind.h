/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XALLOC_UNWIND=libunwind: the steps of a full walk (full.h) are libunwind's, by its remote
 * interface, over this process's own memory. libunwind-x86_64.so.8 is opened for it, and shows in
 * the program's list of loaded objects.
 *
 * What it allocates comes from a pool of ours (early.h). Its locks are met by nobody: one thread at
 * a time is in it, with signals blocked.
 */
#ifndef XALLOC_UNWIND_BY_LIBUNWIND_H
#define XALLOC_UNWIND_BY_LIBUNWIND_H

#include <stdbool.h>

#include "preload/unwind/full_step.h"

extern bool by_libunwind_is_on;

/*
 * For the constructor. Opens libunwind, or says in one line that it cannot. find: libc's function
 * of that name; calls_out is told, now and in each walk, when what this thread allocates is ours.
 */
void by_libunwind_open(void *(*find)(const char *), void (*calls_out)(int begins));

/*
 * A walk begins at frame, with signals blocked and the guard held; by_libunwind_end ends it. False:
 * it is off, or other threads were at it for too long; full_step gives the same stack.
 */
bool by_libunwind_begin(const struct full_frame *frame);

/* As full_step, for the frame that the walk is at. Registers other than rip and rsp are not
 * updated in *frame; exact stays for the caller to set. */
enum full_result by_libunwind_step(struct full_frame *frame);

void by_libunwind_end(void);

/* In a fork child: a thread that is not here may have been in libunwind, which is off then. */
void by_libunwind_forked(void);

#endif
