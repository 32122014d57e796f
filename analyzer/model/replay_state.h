/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replay keeps, for replay.c and transit.c; UNTRACKED for who follows it, too. */
#ifndef XALLOC_MODEL_REPLAY_STATE_H
#define XALLOC_MODEL_REPLAY_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/live_set.h"
#include "analyzer/model/peak.h"
#include "analyzer/model/phases.h"
#include "analyzer/model/pools.h"
#include "analyzer/model/replay.h"
#include "analyzer/model/result.h"
#include "analyzer/model/thread_table.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/merge.h"
#include "analyzer/trace/stack_tree.h"
#include "analyzer/trace/trace.h"

/* A block whose realloc has begun and not ended: entry.size is the stream, the rest stands in its
 * transit. */
#define IN_TRANSIT UINT32_MAX
#define NO_STREAM UINT32_MAX
/* In place of a block's stack: it came while recording was paused. */
#define UNTRACKED (UINT32_MAX - 1)

struct transit {
	struct event event;
	uint64_t old_addr; /* 0: the trace does not know its old block */
	struct block old;
	bool is_open;
	uint32_t next; /* of a chain, see transit_end_overtaken */
};

struct stream_state {
	uint32_t thread_number, thread; /* the latest, and its index */
	bool has_thread;
	struct transit *transit; /* NULL until its first realloc that takes a while */
};

struct replay {
	struct trace *trace;
	const struct replay_watch *watch; /* NULL: none */
	const struct replay_tap *tap;     /* NULL: none */
	struct moment *moment;            /* NULL: none */
	const struct merge *merge;        /* for it */
	uint64_t chunks, untold; /* untold: events since watch was told */
	struct totals *totals;
	uint64_t calls[16]; /* allocation calls by op */
	struct stack_tree *tree;
	struct stack_totals *stack;
	size_t stacks, stack_capacity;
	/* By node: index + 1, 0: none yet. With phases the entry may be of an earlier one: then
	 * phase_stacks knows the right one. */
	uint32_t *stack_of;
	struct phase_stacks *phase_stacks; /* NULL: there is one phase */
	uint32_t nodes;
	struct live_set live;
	struct thread_table threads;
	struct phases phases;
	struct pools pools;
	struct stream_state *stream;
	uint32_t *open; /* streams whose transit is open */
	uint32_t transits; /* how many */
	bool is_glibc; /* usable sizes follow its rule */
	struct peak peak;
	uint64_t peak_low, peak_high; /* stamps around the peak */
	uint32_t peak_stream;         /* its next stamp is peak_high; NO_STREAM: known */
};

/* The index of a thread that has an event in a stream. */
uint32_t replay_thread(struct replay *replay, uint32_t number, uint32_t thread_number);
/* The part that all calls share which return a block. Without the step, for a realloc has more to
 * do in it. */
void replay_add_block(struct replay *replay, const struct event *event, uint32_t stream);
/* The block at addr is given back by thread: is it one that it allocated with no allocation call of its own
 * since? */
void replay_count_temporary(struct replay *replay, const struct block *block, uint64_t addr,
			    uint32_t thread);
/* A block that came while recording was paused is given back: true, and it is counted; else it is
 * any other. */
bool replay_untracked_gone(struct replay *replay, uint64_t addr);
/* For the tap, if there is one. block: NULL when the event gives back one that is not known. */
void replay_tell_gone(struct replay *replay, uint32_t stream, const struct event *event,
		      const struct block *block);

/* All events are done: fills in the result, which takes over the stacks. */
void replay_finish(struct replay *replay, struct result *result, uint64_t last_stamp);

/* Is this step a new peak? Then when it was: between this stamp and the stream's next one. */
static inline bool replay_step(struct replay *replay, const struct event *event, uint32_t stream)
{
	if (!peak_step(&replay->peak, replay->stack, replay->stacks))
		return false;
	replay->peak_low = event->stamp1;
	replay->peak_high = event->stamp1;
	replay->peak_stream = event->flags & EVENT_STAMPED ? NO_STREAM : stream;
	return true;
}

/* False as well when its realloc has begun: then it is no longer the program's. */
static inline bool replay_get(struct replay *replay, uint64_t addr, struct block *block)
{
	return live_set_get(&replay->live, addr, block) && block->stack != IN_TRANSIT;
}

static inline bool replay_has(struct replay *replay, uint64_t addr)
{
	struct block block;

	return replay_get(replay, addr, &block);
}

#endif
