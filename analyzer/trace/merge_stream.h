/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream of a trace for merge.c: its chunks, decoded some events at a time. */
#ifndef XALLOC_TRACE_MERGE_STREAM_H
#define XALLOC_TRACE_MERGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/chunk.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/event_decoder.h"
#include "analyzer/trace/merge.h"
#include "analyzer/trace/trace.h"

#define MERGE_AHEAD 32 /* events decoded at a time: enough to hide a fetch from memory */

/* What all streams of a trace share. */
struct merge_source {
	struct trace *trace;
	const struct chunk_index *index;
	merge_ahead_fn *ahead; /* NULL: nobody wants to know */
	void *owner;
	uint64_t last_stamp; /* the greatest of chunks that are done */
	size_t chunks;       /* loaded so far */
};

struct merge_stream {
	struct event *ahead; /* MERGE_AHEAD of them, from the first chunk to the end of the last */
	uint32_t at, filled; /* of ahead */
	uint32_t number;     /* in merge.stream */
	bool has_begun;      /* ahead[at] is a realloc whose first half was handed out */
	bool is_loaded;      /* there is a chunk, and more of it to decode */
	bool is_waiting;     /* ahead[at] waits for an event of another stream */
	struct event_decoder decoder;
	struct chunk chunk;
	size_t next_ref, end_ref;
};

void merge_stream_init(struct merge_stream *stream, const struct merge_source *source,
		       uint32_t number, struct stack_tree *tree);
void merge_stream_release(struct merge_stream *stream);

/* The next chunk, which there must be; a damaged one is told and stepped over. */
void merge_stream_load(struct merge_stream *stream, struct merge_source *source);
/* Decodes as many events of the loaded chunk as fit behind those that are left; may be none. */
void merge_stream_fill(struct merge_stream *stream, struct merge_source *source);
/* Decodes more, of further chunks too when they may have events up to that stamp. False: there is
 * no room, or nothing to decode. */
bool merge_stream_look_further(struct merge_stream *stream, struct merge_source *source,
			       uint64_t limit);

#endif
