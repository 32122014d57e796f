/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One stream of a trace for merge.c: its chunks, decoded some events at a time. While some are
 * handed out the next ones are decoded by the helper; only it touches the decoder and the stack
 * tree. What it finds wrong is told when the turn comes to those events, so that all is the same
 * however far it is.
 */
#ifndef XALLOC_TRACE_MERGE_STREAM_H
#define XALLOC_TRACE_MERGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/helper.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/event_decoder.h"
#include "analyzer/trace/merge.h"
#include "analyzer/trace/trace.h"

#define MERGE_TAKE 64u /* events of a stream that are handed out at once */
#define MERGE_LOOK 32u /* events that a stream is looked ahead for one that somebody waits for */
/* Events decoded at a time, for all streams together and for each. A thread is woken for many;
 * without one they should still be near when they are wanted. */
#define MERGE_BATCH_ALL 32768u
#define MERGE_BATCH_THREAD 4096u
#define MERGE_BATCH_ALONE 1024u
#define MERGE_BATCH_MIN 64u
#define MERGE_AHEAD_STREAMS 64u /* with more than these a chunk is not read before its turn */
/* Batches of a stream that are decoded ahead by a thread: neither waits for each one of the other,
 * and both are busy at once, which the kernel's scheduler has to see to give them a processor each.
 */
#define MERGE_DEPTH 4u

/* What all streams of a trace share. */
struct merge_source {
	struct trace *trace;
	const struct chunk_index *index;
	struct helper *helper;
	struct name_pool *texts; /* the helper's until it is over */
	uint32_t batch;          /* events decoded at a time */
	uint64_t last_stamp;     /* the greatest of chunks that are done */
	size_t chunks;           /* whose first events were handed out */
	bool is_early;           /* chunks are read before their turn */
	uint32_t depth;          /* batches of a stream that are posted at a time */
};

/* Events of one chunk; none, not even of an empty one, if there was no chunk any more. */
struct decoded {
	struct helper_job job; /* first */
	struct merge_stream *stream;
	struct event *event;         /* source.batch of them */
	uint32_t at, filled;         /* of event */
	bool is_begin;               /* of the chunk */
	bool is_end;                 /* or all that can be read of it: then the rest counts */
	bool is_readable;            /* the chunk, else there are no events */
	const char *wrong;           /* in a few words, or NULL */
	char why[CHUNK_WRONG_BYTES]; /* what it may be */
	const struct chunk_ref *ref;
	uint64_t last_stamp;
	uint32_t said, found; /* events, by the chunk's metadata and by decoding */
};

struct merge_stream {
	struct event *ahead;      /* source.batch + MERGE_LOOK of them, from the first chunk to the
				     end of the last */
	uint32_t at, filled;      /* of ahead */
	uint32_t number;          /* in merge.stream */
	bool has_begun;           /* ahead[at] is a realloc whose first half was handed out */
	bool is_loaded;           /* there is more of a chunk that was begun */
	bool is_waiting;          /* ahead[at] waits for an event of another stream */
	uint64_t handed_out;      /* stamp of the latest step before ahead[at] that was not one
				     that gives back; UINT64_MAX: none */
	size_t next_ref, end_ref; /* chunks whose events were not handed out */
	struct decoded next[MERGE_DEPTH]; /* the events behind those: a ring */
	uint32_t turn;                    /* the first of them, in next */
	uint32_t posted;                  /* so many from there on are being made */
	bool is_begun;                    /* next[turn] is there, and a part of it was taken */
	/* The helper's, while something is posted. */
	struct event_decoder decoder;
	struct chunk chunk;
	size_t decode_ref; /* the chunk to decode next */
	bool is_decoding;
	uint64_t reached; /* the last stamp of what was decoded */
	const struct merge_source *source;
};

void merge_stream_init(struct merge_stream *stream, const struct merge_source *source,
		       uint32_t number, struct stack_tree *tree);
void merge_stream_release(struct merge_stream *stream);
/* Nothing more will be wanted of it: then the helper has no job of it any more. */
void merge_stream_end(struct merge_stream *stream);
/* The work of the helper. */
void merge_stream_work(struct helper_job *job);

/* More events behind those that are left, of the chunk that is_loaded, else of the next one, which
 * there must be; may be none. */
void merge_stream_fill(struct merge_stream *stream, struct merge_source *source);
/* The same, of further chunks when they may have events up to that stamp. False: there is nothing
 * more. For streams with less than MERGE_LOOK events left. */
bool merge_stream_look_further(struct merge_stream *stream, struct merge_source *source,
			       uint64_t limit);

#endif
