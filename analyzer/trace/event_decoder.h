/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a chunk of events, decoded some events at a time. In columns each part of an event
 * is read from its own; a chunk of rows is one whose columns are all the same.
 */
#ifndef XALLOC_TRACE_EVENT_DECODER_H
#define XALLOC_TRACE_EVENT_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/name_pool.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/frame_table.h"
#include "analyzer/trace/stack_tree.h"
#include "preload/trace/codec.h"
#include "preload/trace/format.h"
#include "preload/trace/predict.h"

/* What the next event is told by. */
struct event_state {
	uint64_t stamp, addr, size; /* the last ones */
	uint64_t usable; /* of the block that the next event returns; 0: it does not say */
	uint32_t thread;
	uint32_t depth; /* of the last stack */
	uint32_t node;  /* that stack */
	uint32_t since; /* of columns: events since the last stamp */
	uint8_t low, old_low;
	uint8_t untracked; /* EVENT_UNTRACKED or 0 */
	uint8_t pool;      /* the next event is of a pool, see event_decoder */
};

struct numbered_stack {
	uint32_t node, depth;
};

struct event_decoder {
	struct stack_tree *tree;             /* not its own; it grows */
	const struct frame_table *frames;    /* not its own */
	struct name_pool *texts;             /* not its own */
	struct xt_cursor column[XT_COLUMNS]; /* of rows only the first */
	struct xt_predict *predict;          /* of columns; NULL until the first are met */
	struct numbered_stack *stack;        /* of columns: number n of the chunk at n - 1 */
	uint32_t stacks, stack_capacity;
	bool is_rows;
	bool is_whole;  /* the columns are there */
	bool has_names; /* of blocks, for addresses were dropped; who inits it says so */
	uint64_t next_name, last_freed; /* then */
	struct event_state last;
	/* Of the mark that was read, or of the next event when it is a pool's. */
	uint64_t pool_addr, pool_old;
	uint32_t text;
	uint8_t what;
	uint32_t events; /* decoded since the start of the chunk; marks are none */
	uint32_t path_capacity;
	uint32_t *path; /* path[0] is the root, path[path_depth] a stack that was current */
	uint32_t path_depth;
	const char *wrong; /* after -1: what, in a few words */
};

void event_decoder_init(struct event_decoder *decoder, struct stack_tree *tree,
			const struct frame_table *frames, struct name_pool *texts);
void event_decoder_release(struct event_decoder *decoder);

/* chunk must outlive its decoding. */
void event_decoder_start(struct event_decoder *decoder, const struct chunk *chunk);
/* Up to room events, as many as *count says then. 1: there may be more. 0: the chunk's end. -1:
 * damage; the rest of the chunk cannot be read. */
int event_decoder_fill(struct event_decoder *decoder, struct event *event, uint32_t room,
		       uint32_t *count);

#endif
