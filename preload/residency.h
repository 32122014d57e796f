/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of which of the process's memory is resident (struct xt_snapshot), taken where a chunk
 * ends and where the process does: XALLOC_RESIDENCY. Files of /proc are opened, read and closed;
 * where that is not possible the snapshot says so, and where system calls are not to be made there
 * is none. All on a private stack, with signals blocked.
 */
#ifndef XALLOC_RESIDENCY_H
#define XALLOC_RESIDENCY_H

#include "preload/stream.h"

/* A trace begins. */
void residency_begin(void);

#define RESIDENCY_ALLOC_BYTES (1u << 20) /* who asks for so much, too, has a look taken */

/* So much was asked for. Might residency_look_beside find something to do? Anywhere, and at once.
 */
int residency_is_due(uint64_t bytes);

/*
 * Then: residency_look; and of a process that asked for RESIDENCY_ALLOC_BYTES at once a helper is
 * to watch the memory from outside (launch/memory_watch.h): it may be filled without any further
 * call.
 */
void residency_look_beside(const struct stream *s, uint64_t bytes);

/*
 * A chunk of s has ended, or much was asked for: takes a snapshot if one is due. By itself (auto):
 * when the resident memory is 5 % above all that a look has seen (2 % while half of the time is
 * left); looks and snapshots together take at most 1 % of the time, 2 % of the first half second. A
 * quarter of that, and what one takes, is kept for what comes before a fall.
 */
void residency_look(const struct stream *s);

/* The program is about to give `bytes` of its address space back: is so much gone since the latest
 * look that a high before it may be missed? Anywhere, and at once. */
int residency_may_fall(uint64_t bytes);

/* Then: for a high of 1 %, at any time; auto: as residency_look within the share, else whatever it
 * takes. By itself on a private stack. */
void residency_look_before(struct stream *s);

/* The process ends, s has its latest event: one more; auto: unless it would take both 2 % of the
 * time that the process ran and more than two milliseconds. */
void residency_end(const struct stream *s);

#endif
