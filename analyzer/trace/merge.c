/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/merge.h"

#include <stdlib.h>

#include "analyzer/base/helper.h"
#include "analyzer/base/mem.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/merge_stream.h"

/* Order between streams. Within one it never falls. */
struct key {
	uint64_t stamp;
	uint64_t rank; /* bit 32: no free, or behind one that is none; below it the stream */
};
#define NOT_A_FREE (UINT64_C(1) << 32)

struct waiting {
	struct key key;
	struct merge_stream *stream;
};

/* The next `left` steps of a stream come now, for one of another stream waits for the last of
 * them. A realloc is two, or one if its stamps are equal. */
struct forced {
	struct merge_stream *waiter, *runner;
	uint32_t left;
};
#define FORCED_MAX 16 /* deeper chains of waiting break by stamp, as circles do */
#define CHUNKS_FEW 8u /* not worth a thread */
#define LOOK_MAX 256  /* events and streams that are looked at for one that waits */

struct merge {
	struct merge_source source;
	struct merge_stream *stream;
	uint32_t streams;
	struct waiting *heap; /* the least first; without the current stream */
	uint32_t waiting;
	struct merge_stream *current;
	struct merge_stream *latest; /* of the latest batch */
	uint32_t latest_at;          /* where in its events that begins */
	/* What comes first because something waits for it; the last is under way. */
	struct forced forced[FORCED_MAX];
	uint32_t forced_count;
	uint64_t clock_error; /* stamps that far apart may be in the wrong order */
	uint64_t looked_at;
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

static uint32_t batch_of(uint32_t streams, bool has_thread)
{
	const uint32_t most = has_thread ? MERGE_BATCH_THREAD : MERGE_BATCH_ALONE;
	const uint32_t batch = streams ? MERGE_BATCH_ALL / streams : 0;

	if (batch < MERGE_BATCH_MIN)
		return MERGE_BATCH_MIN;
	return batch < most ? batch : most;
}

struct merge *merge_new(struct trace *trace, struct stack_tree *tree)
{
	struct merge *merge = xcalloc(1, sizeof(*merge));
	const struct chunk_index *index = trace_chunks(trace);

	if (index->streams >= UINT32_MAX)
		BUG("%zu streams", index->streams);
	merge->source = (struct merge_source){ .trace = trace, .index = index };
	merge->streams = (uint32_t)index->streams;
	merge->source.texts = name_pool_new();
	name_pool_add(merge->source.texts, EVENT_START_NAME); /* EVENT_TEXT_START: the first */
	merge->source.helper = helper_new(merge_stream_work, index->count > CHUNKS_FEW);
	merge->source.batch = batch_of(merge->streams, helper_has_thread(merge->source.helper));
	merge->source.is_early = merge->streams <= MERGE_AHEAD_STREAMS;
	/* Behind a chunk's end there may be the next one. */
	merge->source.depth =
		helper_has_thread(merge->source.helper) && merge->source.is_early ? MERGE_DEPTH : 1;
	merge->stream = xcalloc(index->streams, sizeof(*merge->stream));
	merge->heap = xcalloc(index->streams, sizeof(*merge->heap));
	/* Of a counter each value is another moment. */
	merge->clock_error = trace_header(trace)->clock == XT_CLOCK_TSC ||
					     trace_header(trace)->clock == XT_CLOCK_LEFT ?
				     XT_STAMP_ERROR :
				     0;
	for (uint32_t i = 0; i < merge->streams; i++) {
		const size_t first = index->stream[i].first;

		merge_stream_init(&merge->stream[i], &merge->source, i, tree);
		/* A chunk is loaded when its turn comes: of a thread's last chunk nothing is
		 * kept. */
		push(merge, (struct key){ index->ref[first].first_stamp, i }, &merge->stream[i]);
	}
	return merge;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	helper_free(merge->source.helper);
	for (uint32_t i = 0; i < merge->streams; i++)
		merge_stream_release(&merge->stream[i]);
	name_pool_free(merge->source.texts);
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
	return merge->source.last_stamp;
}

static inline bool is_two_steps(const struct event *event)
{
	return event->op == XT_OP_REALLOC && event->stamp0 != event->stamp1;
}

/* Is there a step of it that does not come before the others of its stamp? A mark stands where a
 * free would: so the events around it are in the order that they have without it. */
static inline bool hands_out(const struct event *event)
{
	return event->op != XT_OP_FREE && event->op != EVENT_MARK && (event->op != XT_OP_REALLOC || is_two_steps(event));
}

/* handed_out: as in struct merge_stream, for what stands before the event. */
static inline struct key key_of(const struct event *event, bool has_begun, uint64_t handed_out,
				uint32_t number)
{
	if (has_begun)
		return (struct key){ event->stamp1, NOT_A_FREE | number };
#if XALLOC_FAULT == 11
	return (struct key){ event->stamp0, number };
#endif
	if ((event->op == XT_OP_FREE || event->op == XT_OP_REALLOC || event->op == EVENT_MARK) &&
	    event->stamp0 != handed_out)
		return (struct key){ event->stamp0, number };
	return (struct key){ event->stamp0, NOT_A_FREE | number };
}

static inline struct key head_key(const struct merge_stream *stream)
{
	return key_of(&stream->ahead[stream->at], stream->has_begun, stream->handed_out,
		      stream->number);
}

/* The latest batch is over: what was taken of it and not taken back. */
static void settle(struct merge *merge)
{
	struct merge_stream *stream = merge->latest;

	for (uint32_t i = stream->at; i > merge->latest_at; i--) {
		const struct event *event = &stream->ahead[i - 1];

		if (!hands_out(event))
			continue;
		stream->handed_out = event->stamp1;
		break;
	}
	merge->latest = NULL;
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
			merge_stream_fill(stream, &merge->source);
			continue;
		}
		if (stream->at < stream->filled) {
			key = head_key(stream);
		} else if (stream->next_ref < stream->end_ref) {
			key.stamp = merge->source.index->ref[stream->next_ref].first_stamp;
			key.rank = stream->number;
		} else {
			merge_stream_end(stream);
			merge->current = NULL;
			continue;
		}
		if (merge->waiting && is_before(merge->heap[0].key, key)) {
			swap_first(merge, key);
			continue;
		}
		if (stream->at < stream->filled)
			return true;
		merge_stream_fill(stream, &merge->source);
	}
}

/* The second step of the realloc at the head comes before any other stream's, too, and waits for
 * none. */
static inline bool ends_at_once(const struct merge *merge, const struct merge_stream *stream)
{
	const struct event *event = &stream->ahead[stream->at];

	if (!merge->waiting || event->stamp0 == event->stamp1)
		return true;
	return event->stamp1 < merge->heap[0].key.stamp &&
	       merge->heap[0].key.stamp - event->stamp1 > merge->clock_error;
}

/* Hand out the realloc at the head or its half; returns whether the stream can go on. */
static bool take_realloc(struct merge_stream *stream, bool at_once)
{
	struct event *event = &stream->ahead[stream->at];

	event->flags &= (uint8_t)~(EVENT_BEGIN | EVENT_END);
	if (stream->has_begun) {
		event->flags |= EVENT_END;
		stream->has_begun = false;
	} else if (at_once) {
		event->flags |= EVENT_BEGIN | EVENT_END;
	} else {
		event->flags |= EVENT_BEGIN;
		stream->has_begun = true;
		return false;
	}
	stream->at++;
	return true;
}

/* The one that the latest waits for, or that comes before that in its stream. */
static void take_forced(struct merge *merge, struct batch *batch)
{
	struct forced *forced = &merge->forced[merge->forced_count - 1];
	struct merge_stream *stream = forced->runner;
	const struct event *event = &stream->ahead[stream->at];

	*batch = (struct batch){ event, 1, 1, stream->number, 0 };
	merge->latest = stream;
	merge->latest_at = stream->at;
	forced->left--;
	if (event->op == XT_OP_REALLOC)
		take_realloc(stream, !is_two_steps(event));
	else
		stream->at++;
}

int merge_next(struct merge *merge, struct batch *batch)
{
	struct merge_stream *stream;
	const struct key limit = { UINT64_MAX, UINT64_MAX };
	struct key next;

	if (merge->latest)
		settle(merge);
	/* Not as soon as it is handed out: it may have to wait itself, but not for its waiter. */
	while (merge->forced_count && !merge->forced[merge->forced_count - 1].left)
		merge->forced[--merge->forced_count].waiter->is_waiting = false;
	if (merge->forced_count) {
		take_forced(merge, batch);
		return 1;
	}
	if (!choose_stream(merge))
		return 0;
	stream = merge->current;
	next = merge->waiting ? merge->heap[0].key : limit;
	merge->latest = stream;
	merge->latest_at = stream->at;
	batch->event = &stream->ahead[stream->at];
	batch->stream = stream->number;
	batch->count = 0;
	batch->alone_before = next.stamp > merge->clock_error ? next.stamp - merge->clock_error : 0;
	if (!merge->waiting)
		batch->alone_before = UINT64_MAX;
	batch->known = stream->filled - stream->at;
	if (!merge->waiting && !stream->has_begun) {
		batch->count = stream->filled - stream->at;
		if (batch->count > MERGE_TAKE)
			batch->count = MERGE_TAKE;
		stream->at += (uint32_t)batch->count;
		return 1;
	}
	do {
		batch->count++;
		if (stream->ahead[stream->at].op != XT_OP_REALLOC)
			stream->at++;
		else if (!take_realloc(stream, ends_at_once(merge, stream)))
			break;
	} while (stream->at < stream->filled && batch->count < MERGE_TAKE &&
		 is_before(head_key(stream), next));
	return 1;
}

/* An event that somebody waits for. */
struct search {
	uint64_t addr, limit; /* what it is about, and the last stamp that it may have */
	bool wants_free;
	struct forced found;
	struct key key; /* of the step that makes it right */
	uint32_t looks_left;
};

/* Is it the event? Of a realloc only the second step may be left. */
static bool is_wanted(const struct search *search, const struct event *event, bool has_begun)
{
	if (event->op >= XT_OP_FAILED) /* marks and pools' events too */
		return false;
	if (event->op == XT_OP_REALLOC && search->wants_free)
		return !has_begun && event->old_addr == search->addr;
	return (event->op == XT_OP_FREE) == search->wants_free && event->addr == search->addr;
}

static void search_stream(struct merge *merge, struct search *search, struct merge_stream *stream)
{
	uint64_t handed_out = stream->handed_out;
	bool has_begun = stream->has_begun;
	uint32_t steps = 0;

	for (uint32_t i = 0; search->looks_left && i < MERGE_LOOK; i++) {
		const struct event *event;
		struct key key;
		bool is_found, is_both; /* steps of the event have to come */

		if (stream->at + i == stream->filled &&
		    !merge_stream_look_further(stream, &merge->source, search->limit))
			return;
		event = &stream->ahead[stream->at + i];
		search->looks_left--;
		is_found = is_wanted(search, event, has_begun);
		is_both = is_two_steps(event) && !has_begun;
		steps += is_both && (!is_found || event->stamp1 <= search->limit) ? 2 : 1;
		key = key_of(event, has_begun || (is_found && is_both && !search->wants_free),
			     handed_out, stream->number);
		if (key.stamp > search->limit)
			return;
		if (is_found) {
			if (search->found.runner && !is_before(key, search->key))
				return;
			search->key = key;
			search->found = (struct forced){ .runner = stream, .left = steps };
			return;
		}
		if (hands_out(event))
			handed_out = event->stamp1;
		has_begun = false;
	}
}

/* The streams of the heap from that place down whose next event is not too late. */
static void search_heap(struct merge *merge, struct search *search, uint32_t at)
{
	if (at >= merge->waiting || merge->heap[at].key.stamp > search->limit ||
	    !search->looks_left)
		return;
	search->looks_left--;
	if (!merge->heap[at].stream->is_waiting)
		search_stream(merge, search, merge->heap[at].stream);
	search_heap(merge, search, 2 * at + 1);
	search_heap(merge, search, 2 * at + 2);
}

bool merge_wait(struct merge *merge, const struct event *event, uint64_t stamp, uint64_t addr,
		bool wants_free)
{
	struct merge_stream *stream = merge->latest;
	struct search search = { .addr = addr, .wants_free = wants_free, .looks_left = LOOK_MAX };

#if XALLOC_FAULT == 11
	return false;
#endif
	if (__builtin_add_overflow(stamp, merge->clock_error, &search.limit))
		search.limit = UINT64_MAX;
	if (merge->forced_count == FORCED_MAX)
		return false;
	stream->is_waiting = true;
	search_heap(merge, &search, 0);
	merge->looked_at += LOOK_MAX - search.looks_left;
	if (!search.found.runner) {
		stream->is_waiting = false;
		return false;
	}
	/* It will be the stream's next event again. */
	stream->at = (uint32_t)(event - stream->ahead);
	stream->has_begun = (event->flags & (EVENT_BEGIN | EVENT_END)) == EVENT_END;
	if (merge->forced_count)
		merge->forced[merge->forced_count - 1].left++;
	search.found.waiter = stream;
	merge->forced[merge->forced_count++] = search.found;
	return true;
}

struct name_pool *merge_take_texts(struct merge *merge)
{
	struct name_pool *texts = merge->source.texts;

	merge->source.texts = NULL;
	return texts;
}

uint64_t merge_looked_at(const struct merge *merge)
{
	return merge->looked_at;
}

size_t merge_chunks(const struct merge *merge)
{
	return merge->source.chunks;
}
