/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which thread allocates, and which one gives back what another has allocated. */
#ifndef XALLOC_REPORT_THREAD_PAIRS_H
#define XALLOC_REPORT_THREAD_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/selection.h"
#include "analyzer/model/thread_table.h"

/* Blocks that one thread allocated and one gave back, by free or realloc. */
struct thread_pair {
	uint32_t giver, taker; /* numbers */
	uint64_t blocks, bytes;
};

struct thread_sum {
	uint32_t number;
	uint64_t calls, bytes;              /* allocated */
	uint64_t live_blocks, live_bytes;   /* of them at the end, or not seen to end */
	uint64_t own_blocks, own_bytes;     /* given back by itself */
	uint64_t lent_blocks, lent_bytes;   /* given back by others */
	uint64_t taken_blocks, taken_bytes; /* of others, given back by it */
};

struct thread_pairs {
	struct thread_sum *thread; /* by number, after thread_pairs_finish */
	size_t threads;
	struct thread_pair *pair; /* of two different threads, the most bytes first */
	size_t pairs;
	struct selection_view view; /* to be given to the replay */
	/* its own */
	struct thread_table table;
	size_t room, pair_room;
	uint32_t *slot; /* hash of both numbers -> pair + 1 */
	size_t slots;
};

/* Must stay where it is while view is in use. */
void thread_pairs_init(struct thread_pairs *pairs);
void thread_pairs_finish(struct thread_pairs *pairs); /* after the replay */
void thread_pairs_release(struct thread_pairs *pairs);

#endif
