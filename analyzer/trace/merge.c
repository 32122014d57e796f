/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/merge.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/event_decoder.h"

#define AHEAD 32 /* events decoded at a time: enough to hide a fetch from memory */

/* Order between streams. */
struct key {
	uint64_t stamp;
	uint64_t rank; /* bit 32: no free; below it the stream */
};
#define NOT_A_FREE (UINT64_C(1) << 32)

struct merge_stream {
	struct event *ahead; /* AHEAD of them, from the first chunk to the end of the last */
	uint32_t at, filled; /* of ahead */
	uint32_t number;     /* in merge.stream */
	bool has_begun;      /* ahead[at] is a realloc whose first half was handed out */
	bool is_loaded;
	struct event_decoder decoder;
	struct chunk chunk;
	size_t next_ref, end_ref;
};

struct waiting {
	struct key key;
	struct merge_stream *stream;
};

struct merge {
	struct trace *trace;
	const struct chunk_index *index;
	struct merge_stream *stream;
	uint32_t streams;
	struct waiting *heap; /* the least first; without the current stream */
	uint32_t waiting;
	struct merge_stream *current;
	uint64_t last_stamp;
	merge_ahead_fn *look_ahead;
	void *owner;
};

static inline bool is_before(struct key a, struct key b)
{
	return a.stamp != b.stamp ? a.stamp < b.stamp : a.rank < b.rank;
}

static void sift_down(struct merge *merge, uint32_t at, struct waiting item)
{
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= merge->waiting)
			break;
		if (child + 1 < merge->waiting &&
		    is_before(merge->heap[child + 1].key, merge->heap[child].key))
			child++;
		if (!is_before(merge->heap[child].key, item.key))
			break;
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	merge->heap[at] = item;
}

static void push(struct merge *merge, struct key key, struct merge_stream *stream)
{
	uint32_t at = merge->waiting++;

	while (at) {
		const uint32_t parent = (at - 1) / 2;

		if (!is_before(key, merge->heap[parent].key))
			break;
		merge->heap[at] = merge->heap[parent];
		at = parent;
	}
	merge->heap[at] = (struct waiting){ key, stream };
}

static struct merge_stream *pop(struct merge *merge)
{
	struct merge_stream *first;

	if (!merge->waiting)
		return NULL;
	first = merge->heap[0].stream;
	merge->waiting--;
	if (merge->waiting)
		sift_down(merge, 0, merge->heap[merge->waiting]);
	return first;
}

/* The current stream waits, the first of those that wait goes on. */
static void swap_first(struct merge *merge, struct key key)
{
	struct merge_stream *first = merge->heap[0].stream;

	sift_down(merge, 0, (struct waiting){ key, merge->current });
	merge->current = first;
}

struct merge *merge_new(struct trace *trace, struct stack_tree *tree, merge_ahead_fn *ahead,
			void *owner)
{
	struct merge *merge = xcalloc(1, sizeof(*merge));
	const struct chunk_index *index = trace_chunks(trace);

	if (index->streams >= UINT32_MAX)
		BUG("%zu streams", index->streams);
	merge->trace = trace;
	merge->index = index;
	merge->look_ahead = ahead;
	merge->owner = owner;
	merge->streams = (uint32_t)index->streams;
	merge->stream = xcalloc(index->streams, sizeof(*merge->stream));
	merge->heap = xcalloc(index->streams, sizeof(*merge->heap));
	for (uint32_t i = 0; i < merge->streams; i++) {
		struct merge_stream *stream = &merge->stream[i];
		const struct chunk_run *run = &index->stream[i];

		stream->number = i;
		stream->next_ref = run->first;
#if XALLOC_FAULT == 7
		stream->next_ref += run->count > 1;
#endif
		stream->end_ref = run->first + run->count;
		event_decoder_init(&stream->decoder, tree, trace_frames(trace));
		/* A chunk is loaded when its turn comes: of a thread's last chunk nothing is
		 * kept. */
		push(merge, (struct key){ index->ref[run->first].first_stamp, i }, stream);
	}
	return merge;
}

static void end_stream(struct merge_stream *stream)
{
	chunk_release(&stream->chunk);
	event_decoder_release(&stream->decoder);
	free(stream->ahead);
	stream->ahead = NULL;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	for (uint32_t i = 0; i < merge->streams; i++)
		end_stream(&merge->stream[i]);
	free(merge->stream);
	free(merge->heap);
	free(merge);
}

uint32_t merge_streams(const struct merge *merge)
{
	return merge->streams;
}

uint64_t merge_last_stamp(const struct merge *merge)
{
	return merge->last_stamp;
}

/* The rest of the current chunk is given up, or it ended: count what is missing. */
static void end_chunk(struct merge *merge, struct merge_stream *stream, const char *wrong)
{
	const struct chunk_ref *ref = &merge->index->ref[stream->next_ref - 1];
	struct damage *damage = trace_damage(merge->trace);
	const uint32_t decoded = stream->decoder.events;
	uint64_t lost = 0;

	if (stream->chunk.events > decoded)
		lost = stream->chunk.events - decoded;
	if (wrong)
		damage_add(damage, lost, "offset %" PRIu64 ": a chunk is damaged after %s: %s",
			   ref->offset, number_of(decoded, "event").text, wrong);
	else if (stream->chunk.events != decoded)
		damage_add(damage, lost, "offset %" PRIu64 ": a chunk has %s and says %s",
			   ref->offset, number_of(decoded, "event").text,
			   number_count(stream->chunk.events).text);
	if (stream->decoder.last_stamp > merge->last_stamp)
		merge->last_stamp = stream->decoder.last_stamp;
	chunk_release(&stream->chunk);
	stream->is_loaded = false;
}

static void load_chunk(struct merge *merge, struct merge_stream *stream)
{
	const struct chunk_ref *ref = &merge->index->ref[stream->next_ref++];
	const char *wrong = chunk_load(trace_reader(merge->trace), ref, &stream->chunk);

	if (!stream->ahead)
		stream->ahead = xcalloc(AHEAD, sizeof(*stream->ahead));
	if (wrong) {
		damage_add(trace_damage(merge->trace), ref->events,
			   "offset %" PRIu64 ": a chunk is damaged: %s", ref->offset, wrong);
		return;
	}
	event_decoder_start(&stream->decoder, &stream->chunk);
	stream->is_loaded = true;
}

/* Decode some events of the loaded chunk. */
static void fill(struct merge *merge, struct merge_stream *stream)
{
	int got = 1;

	stream->at = 0;
	stream->filled = 0;
	while (stream->filled < AHEAD) {
		got = event_decoder_next(&stream->decoder, &stream->ahead[stream->filled]);
		if (got <= 0)
			break;
		stream->filled++;
	}
	if (stream->filled && merge->look_ahead)
		merge->look_ahead(merge->owner, stream->ahead, stream->filled);
	if (got <= 0)
		end_chunk(merge, stream, got < 0 ? stream->decoder.wrong : NULL);
}

static inline struct key head_key(const struct merge_stream *stream)
{
	const struct event *event = &stream->ahead[stream->at];

	if (stream->has_begun)
		return (struct key){ event->stamp1, NOT_A_FREE | stream->number };
#if XALLOC_FAULT == 11
	return (struct key){ event->stamp0, stream->number };
#endif
	if (event->op == XT_OP_FREE || event->op == XT_OP_REALLOC)
		return (struct key){ event->stamp0, stream->number };
	return (struct key){ event->stamp0, NOT_A_FREE | stream->number };
}

/* Make the current stream one that has events decoded and the least key. False at the end of
 * all. */
static bool choose_stream(struct merge *merge)
{
	for (;;) {
		struct merge_stream *stream = merge->current;
		struct key key;

		if (!stream) {
			stream = pop(merge);
			merge->current = stream;
			if (!stream)
				return false;
		}
		if (stream->at == stream->filled && stream->is_loaded) {
			fill(merge, stream);
			continue;
		}
		if (stream->at < stream->filled) {
			key = head_key(stream);
		} else if (stream->next_ref < stream->end_ref) {
			key.stamp = merge->index->ref[stream->next_ref].first_stamp;
			key.rank = stream->number;
		} else {
			end_stream(stream);
			merge->current = NULL;
			continue;
		}
		if (merge->waiting && is_before(merge->heap[0].key, key)) {
			swap_first(merge, key);
			continue;
		}
		if (stream->at < stream->filled)
			return true;
		load_chunk(merge, stream);
	}
}

/* The second half of the realloc at the head comes before any other stream's event, too. */
static inline bool ends_at_once(const struct merge *merge, const struct merge_stream *stream)
{
	const struct event *event = &stream->ahead[stream->at];

	if (!merge->waiting || event->stamp0 == event->stamp1)
		return true;
	return is_before((struct key){ event->stamp1, NOT_A_FREE | stream->number },
			 merge->heap[0].key);
}

/* Hand out the realloc at the head or its half; returns whether the stream can go on. */
static bool take_realloc(const struct merge *merge, struct merge_stream *stream)
{
	struct event *event = &stream->ahead[stream->at];

	event->flags &= EVENT_STAMPED;
	if (stream->has_begun) {
		event->flags |= EVENT_END;
		stream->has_begun = false;
	} else if (ends_at_once(merge, stream)) {
		event->flags |= EVENT_BEGIN | EVENT_END;
	} else {
		event->flags |= EVENT_BEGIN;
		stream->has_begun = true;
		return false;
	}
	stream->at++;
	return true;
}

int merge_next(struct merge *merge, struct batch *batch)
{
	struct merge_stream *stream;
	const struct key limit = { UINT64_MAX, UINT64_MAX };
	struct key next;

	if (!choose_stream(merge))
		return 0;
	stream = merge->current;
	next = merge->waiting ? merge->heap[0].key : limit;
	batch->event = &stream->ahead[stream->at];
	batch->stream = stream->number;
	batch->count = 0;
	do {
		batch->count++;
		if (stream->ahead[stream->at].op != XT_OP_REALLOC)
			stream->at++;
		else if (!take_realloc(merge, stream))
			break;
	} while (stream->at < stream->filled && is_before(head_key(stream), next));
	return 1;
}
