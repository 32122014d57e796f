/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots of the live windows: 128 KB pieces of the trace file itself in which chunks are filled. A
 * slot belongs to the thread (or table) that took it. One that is full and could not be committed
 * at once is left as it is, with slot_leave: the file already holds it, and the next committer
 * takes it along.
 */
#ifndef XALLOC_STORE_SLOT_H
#define XALLOC_STORE_SLOT_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/store/shared.h"
#include "preload/trace/format.h"

struct slot {
	struct xt_slot *head;  /* in the file: what a reader sees */
	uint8_t *data;         /* in the file, XT_SLOT_BYTES */
	_Atomic uint32_t done; /* ids and records: bytes that are whole or given up */
	_Atomic uint64_t fill; /* records: (seq + 1) << 32 | bytes given out; 0 otherwise */
	uint32_t ready;        /* its pages can be written */
	_Atomic uint32_t gone; /* its window was given up */
	uint32_t late;         /* 1: in a window behind the data */
};

/* Forget all slots and begin with window 0 of the open file. */
void slots_init(void);

/* The slots of one more window; -1: no memory. Only for the helper: slot_take does it by itself. */
int slots_add_window(uint8_t *window, uint32_t count);

/* While a helper works so many more slots may be in use. */
void slots_allow(uint32_t more);

/* What the head has for the writers. */
static inline struct slot_own *slot_own(const struct slot *s)
{
	return (struct slot_own *)(void *)s->head->own;
}

/* A free slot with its pages ready, `used` 0, kind still XT_KIND_TAKEN; zeroed if asked. NULL: none
 * now. When no slot is free and may_grow, a window is added, or a helper that works waited for.
 * Signals are blocked. */
struct slot *slot_take(int zeroed, int may_grow);

/* Two slots are free, as far as that is possible: for a time when there is no memory for a window,
 * and a chunk stays in its slot because the file is busy. Signals are blocked. */
void slots_keep_free(void);

/* The latest window could not be made: it is no use to ask again at once. */
int slots_lack_memory(void);

/*
 * From now on there are only the slots that there are, `bytes` of free ones at least, with their
 * pages ready: nothing is compressed by this process, nothing grows, and no system call is needed
 * but a futex where a helper works. Full slots are left to it, or stay. 0, or a negative errno: as
 * many as could be had.
 */
int slots_fix(uint64_t bytes);
int slots_are_fixed(void);

/* It was for nothing: as before. */
void slots_loosen(void);

/* The head's other fields are set: show it to readers. */
void slot_show(struct slot *s, enum xt_kind kind);

/* Its chunk is committed, or it was never shown. */
void slot_release(struct slot *s);

/* Full and not committed: for slots_commit_left, the helper's when one works. */
void slot_leave(struct slot *s);

/* Commits what was left, as far as that goes now; `as` says by whom (enum slot_state). 0, or the
 * negative errno of the first that could not be. */
int slots_commit_left(int may_compress, enum slot_state as);

/* The helper is dead: what it had begun waits for a committer again. */
void slots_take_back(void);

/* For file_trim: gives up late windows when these are all and all their slots are free; 1 when so.
 */
int slots_give_up_late(uint32_t windows);

/* Ids and records: `bytes` of the slot are whole; who completes the last of them leaves the slot.
 */
void slot_complete(struct slot *s, uint32_t bytes);

/* What readers know of a stream that has a slot. */
struct slots_place {
	uint32_t stream;
	uint64_t events; /* of the stream, from its beginning */
};

/*
 * The streams with a slot, at most `room`; *events is what slots hold that is not committed: with
 * file_shared->events all of the trace, for who commits. Any process that has the file mapped.
 */
uint32_t slots_places(struct slots_place *place, uint32_t room, uint64_t *events);

/* Gives the pages of free slots back to the file system. */
void slots_punch_free(void);

#endif
