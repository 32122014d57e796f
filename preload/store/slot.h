/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots of the live windows: 64 KB pieces of the trace file itself in which chunks are filled. A
 * slot belongs to the thread (or table) that took it. One that is full and could not be committed
 * at once is left as it is, with slot_leave: the file already holds it, and the next committer
 * takes it along.
 */
#ifndef XALLOC_STORE_SLOT_H
#define XALLOC_STORE_SLOT_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct slot {
	struct xt_slot *head;  /* in the file: what a reader sees */
	uint8_t *data;         /* in the file, XT_SLOT_BYTES */
	_Atomic uint32_t left; /* 1: full, waiting for a committer; 2: being committed */
	_Atomic uint32_t done; /* ids and records: bytes that are whole or given up */
	_Atomic uint64_t fill; /* records: (seq + 1) << 32 | bytes given out; 0 otherwise */
	/* what the chunk's metadata will say besides the head */
	uint32_t events, needs_ids;
	uint64_t last_stamp;
	_Atomic uint32_t gone; /* its window was given up */
	uint32_t late;         /* 1: in a window behind the data */
};

/* Forget all slots and begin with window 0 of the open file. */
void slots_init(void);

/* A free slot with its pages ready, `used` 0, kind still XT_KIND_TAKEN; zeroed if asked. NULL: none
 * now. When no slot is free and may_grow, a window is added. Signals are blocked. */
struct slot *slot_take(int zeroed, int may_grow);

/* The head's other fields are set: show it to readers. */
void slot_show(struct slot *s, enum xt_kind kind);

/* Its chunk is committed, or it was never shown. */
void slot_release(struct slot *s);

/* Full and not committed: for slots_commit_left. */
void slot_leave(struct slot *s);

/* Commits what was left, as far as that goes now. */
void slots_commit_left(int may_compress);

/* For file_trim: gives up late windows when these are all and all their slots are free; 1 when so.
 */
int slots_give_up_late(uint32_t windows);

/* Ids and records: `bytes` of the slot are whole; who completes the last of them leaves the slot.
 */
void slot_complete(struct slot *s, uint32_t bytes);

/* Gives the pages of free slots back to the file system. */
void slots_punch_free(void);

#endif
