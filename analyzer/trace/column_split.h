/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chunks of rows, one behind the other, to one large chunk of columns. Bytes are moved, not
 * decoded: what the events say stays as it is. Where a chunk began the coding state is reset, as it
 * was.
 */
#ifndef XALLOC_TRACE_COLUMN_SPLIT_H
#define XALLOC_TRACE_COLUMN_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/chunk.h"
#include "preload/trace/format.h"

struct column_bytes {
	uint8_t *bytes;
	uint32_t used, capacity;
};

struct column_start {
	uint32_t thread, tid;
};

struct column_split {
	struct column_bytes column[XT_COLUMNS];
	uint32_t used; /* of all columns */
	uint32_t events, needs_ids;
	struct column_start start;
	uint32_t thread, tid; /* at the end */
	uint64_t base, first_stamp, last_stamp;
};

void column_split_init(struct column_split *split);
void column_split_release(struct column_split *split);

/* Is it better to take what is there and begin anew? So when it would be more than limit bytes, or
 * stamps go back. */
bool column_split_is_full(const struct column_split *split, const struct chunk *chunk,
			  uint32_t limit);
/* The chunk is one of rows, the next of its stream. False: it is damaged, split is of no use. */
bool column_split_add(struct column_split *split, const struct chunk *chunk);
/* The payload, meta->raw_bytes of it, the caller's to free, and of meta all but stream, seq and
 * zstd_bytes; then there is nothing in it. There was something. */
uint8_t *column_split_take(struct column_split *split, struct xt_meta *meta);

#endif
