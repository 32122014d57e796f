/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One pass over the events of a trace, in their order, to the figures of result.h. Needs memory for
 * the live blocks, the distinct stacks and one chunk of each stream, and none for an event.
 *
 * free_calls counts every call that gave a block back, foreign ones included; the free that a
 * realloc implies is none. foreign_frees counts calls and implied frees of blocks that the trace
 * does not know.
 */
#ifndef XALLOC_MODEL_REPLAY_H
#define XALLOC_MODEL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/growth.h"
#include "analyzer/model/live_set.h"
#include "analyzer/model/moment.h"
#include "analyzer/model/result.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/stack_tree.h"
#include "analyzer/trace/trace.h"

struct result {
	struct totals totals;
	struct stack_totals *stack; /* one each distinct stack, in order of appearance */
	size_t stacks;
	struct stack_tree *tree; /* what stack_totals.node is a node of */
	uint64_t looked_at;      /* events looked at ahead of their turn: merge_wait */
	struct told told;
};

/*
 * Who follows what happens to blocks, in the order that counts. stream is from 0, in the order of
 * the trace's. A FREE is one `gone`, a realloc `gone` when it begins and `given` when its step is,
 * perhaps with other streams' events between; of other calls `given`, or `failed`, is all.
 */
struct replay_tap {
	/* block: what is given back, NULL when the trace does not know it; is_latest: its thread
	 * made no allocation call since. */
	void (*gone)(void *owner, uint32_t stream, const struct event *event,
		     const struct block *block, bool is_latest);
	/* closed: the block that was there until now, NULL: none, as it should be. */
	void (*given)(void *owner, uint32_t stream, const struct event *event,
		      const struct block *block, const struct block *closed, bool was_latest);
	void (*failed)(void *owner, uint32_t stream, const struct event *event);
	void *owner;
	/* A call while recording was paused: its block is in no figure. NULL: it is not asked for.
	 */
	void (*paused)(void *owner, uint32_t stream, const struct event *event,
		       const struct block *closed);
	/* What the program says of its course, and the number of the phase that is on from here:
	 * told.phase[number]. NULL: it is not asked for. */
	void (*marked)(void *owner, const struct event *mark, uint32_t phase);
};

/* Who wants to know how far it is: called some hundred times a second, with chunks. */
struct replay_watch {
	void (*tell)(void *owner, uint64_t done, uint64_t all); /* NULL: nobody */
	void *owner;
	const struct replay_tap *tap; /* NULL: nobody */
	struct growth *growth;        /* to be filled in; NULL: nobody wants it */
	struct moment *moment;        /* NULL: nobody looks at one */
};

/* Once for each trace. Damage inside it becomes warnings of the trace and lost events, and none is
 * so bad that the rest says nothing. watch may be NULL. */
void replay_run(struct trace *trace, struct result *result, const struct replay_watch *watch);
void result_release(struct result *result);

#endif
