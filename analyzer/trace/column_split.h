/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chunks of events, one behind the other, to one large chunk of columns. What the events say stays
 * as it is; addresses are written anew, by what is expected (preload/trace/predict.h) over the
 * whole of the large chunk, and stacks, by the numbers that they have there. Where a chunk began
 * the coding state is reset, as it was.
 */
#ifndef XALLOC_TRACE_COLUMN_SPLIT_H
#define XALLOC_TRACE_COLUMN_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/chunk.h"
#include "analyzer/trace/column_stacks.h"
#include "preload/trace/codec.h"
#include "preload/trace/format.h"
#include "preload/trace/predict.h"

struct column_bytes {
	uint8_t *bytes;
	uint32_t used, capacity;
};

struct column_start {
	uint32_t thread, tid;
};

/* What an event says that is not what it said. */
struct column_change {
	bool drops_addresses, drops_stamps;
	uint8_t op;        /* that the event has to be of */
	uint64_t stamp[2]; /* of what is not a REALLOC the first; never below that of the event
			      before */
	bool is_foreign;   /* what a FREE or REALLOC gives back is no block of the trace */
	uint64_t freed;    /* else its name */
	uint64_t given;    /* the name of what a call returned */
};

struct column_split {
	struct column_bytes column[XT_COLUMNS];
	uint32_t used; /* of all columns */
	uint32_t events;
	struct column_start start;
	uint32_t thread, tid; /* at the end */
	uint64_t base, first_stamp, last_stamp;

	/* of the chunk that is read */
	struct xt_cursor column_in[XT_COLUMNS], *in[XT_COLUMNS]; /* where each part stands */
	bool in_columns;
	uint64_t last_addr, last_size;
	uint8_t low, old_low;
	uint32_t since_read, since_written; /* events since the last stamp */
	struct column_stacks stacks;
	struct xt_predict *read, *written; /* what is expected of addresses */
	struct xt_recent *recent;

	/* where blocks have names */
	uint64_t next_name, last_freed;
	const struct column_change *change; /* of the event that is moved; NULL: none */
	uint32_t before;                    /* events of chunks before the one that is read */
	uint64_t stamp_read; /* the last one as the chunk has it; last_stamp is as it is written */
};

void column_split_init(struct column_split *split);
void column_split_release(struct column_split *split);

/* Is it better to take what is there and begin anew? So when it would be more than limit bytes, or
 * stamps go back. */
bool column_split_is_full(const struct column_split *split, const struct chunk *chunk,
			  uint32_t limit);
/* The chunk is the next of its stream. False: it is damaged, split is of no use. */
bool column_split_add(struct column_split *split, const struct chunk *chunk);
/* The same in steps: the chunk, which must stay until its end, begins; its next event is moved,
 * changed; were all its events? then what stands behind them is. A split is used in this way only
 * or not at all. False: it is damaged. */
bool column_split_begin(struct column_split *split, const struct chunk *chunk,
			const struct column_change *change);
bool column_split_move(struct column_split *split, const struct column_change *change);
bool column_split_is_done(const struct column_split *split, const struct chunk *chunk);
bool column_split_end(struct column_split *split, const struct chunk *chunk,
		      const struct column_change *change);
/* The payload, meta->raw_bytes of it, the caller's to free, and of meta all but stream, seq and
 * zstd_bytes; then there is nothing in it. There was something. */
uint8_t *column_split_take(struct column_split *split, struct xt_meta *meta);

#endif
