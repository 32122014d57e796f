/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writers of one file share: the recorded process and, under xalloc record, a helper, a
 * process of the recorder's that commits full slots on another core. It lies in the header's page,
 * behind what readers know, so both find it where they map the file, and it is zeros in a new one.
 */
#ifndef XALLOC_STORE_SHARED_H
#define XALLOC_STORE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/trace/format.h"

#define SHARED_WINDOWS_MAX 700u

/* Who holds the lock. */
enum shared_side { SIDE_NONE = 0, SIDE_PROCESS = 1, SIDE_HELPER = 2 };

enum shared_helper {
	HELPER_NONE = 0,
	HELPER_ASKED = 1,    /* once */
	HELPER_WORKING = 2,  /* the process leaves full slots to it */
	HELPER_DRAINING = 3, /* it commits what it was left, then it goes */
	HELPER_GONE = 4      /* for good: the process commits by itself */
};

/* The kernel's struct robust_list_head, then its one entry, with addresses of the helper's. */
struct shared_robust {
	uint64_t first;
	int64_t word_offset; /* from the entry to its word */
	uint64_t pending;
	uint64_t entry; /* the next one: the head again */
};

struct shared {
	_Atomic uint32_t lock;   /* enum shared_side; of the words from bytes to late_windows */
	_Atomic uint32_t helper; /* enum shared_helper */
	_Atomic uint32_t alive;  /* helper's thread id; FUTEX_OWNER_DIED is set by the kernel */
	_Atomic uint32_t left;   /* slots that wait for a committer */
	_Atomic uint32_t bell;   /* futex: grows when a slot was left */
	_Atomic uint32_t asleep; /* the helper waits there */
	_Atomic uint32_t freed;  /* futex: grows when the helper gave a slot back */
	_Atomic uint32_t queue;  /* threads of the process that wait there */
	struct shared_robust robust;
	_Atomic uint64_t chunks, events;     /* committed */
	uint64_t bytes, max_bytes;           /* of the file: now, at most */
	uint64_t free_at, free_end;          /* the free frame that space is taken from */
	uint32_t step;                       /* by which the file grows */
	uint32_t level;                      /* of zstd */
	_Atomic uint32_t late_windows;       /* added so far */
	uint32_t window[SHARED_WINDOWS_MAX]; /* where they begin, in pages */
	_Atomic uint32_t is_sealed; /* the process cannot ring: the helper looks often, and writes
				     * the totals */
	_Atomic uint32_t ids;       /* of the totals then */
	uint32_t is_watched;        /* the helper takes residency snapshots, too */
};

/* The writers' part of struct xt_slot: what the chunk's metadata will say besides the rest, and
 * whose the slot is. */
enum slot_state {
	SLOT_IN_HAND = 0,
	SLOT_LEFT = 1,    /* full, waiting for a committer */
	SLOT_PROCESS = 2, /* being committed by the process */
	SLOT_HELPER = 3   /* ... by the helper */
};

struct slot_own {
	uint64_t last_stamp;
	uint32_t reserved;
	_Atomic uint32_t state; /* enum slot_state */
};

_Static_assert(XT_WRITERS_OFFSET + sizeof(struct shared) <= XT_PAGE_BYTES, "fits its page");
_Static_assert(sizeof(struct slot_own) == sizeof(((struct xt_slot *)0)->own), "fits a slot's head");

#endif
