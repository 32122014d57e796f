/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/merge_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"

void merge_stream_init(struct merge_stream *stream, const struct merge_source *source,
		       uint32_t number, struct stack_tree *tree)
{
	const struct chunk_run *run = &source->index->stream[number];

	*stream = (struct merge_stream){ .number = number,
					 .next_ref = run->first,
					 .end_ref = run->first + run->count,
					 .handed_out = UINT64_MAX,
					 .source = source };
	for (uint32_t i = 0; i < MERGE_DEPTH; i++)
		stream->next[i].stream = stream;
#if XALLOC_FAULT == 7
	stream->next_ref += run->count > 1;
#endif
	stream->decode_ref = stream->next_ref;
	event_decoder_init(&stream->decoder, tree, trace_frames(source->trace), source->texts);
	stream->decoder.has_names = trace_has_dropped(source->trace, TRACE_ADDRESSES);
}

void merge_stream_release(struct merge_stream *stream)
{
	chunk_release(&stream->chunk);
	event_decoder_release(&stream->decoder);
	free(stream->ahead);
	stream->ahead = NULL;
	for (uint32_t i = 0; i < MERGE_DEPTH; i++) {
		free(stream->next[i].event);
		stream->next[i].event = NULL;
	}
}

static void decode_begin(struct merge_stream *stream, struct decoded *decoded)
{
	const struct chunk_ref *ref = &stream->source->index->ref[stream->decode_ref++];

	decoded->is_begin = true;
	decoded->wrong = chunk_load(trace_reader(stream->source->trace), ref, &stream->chunk);
	if (decoded->wrong) {
		/* The reader has one place for it, and reads on before that is told. */
		snprintf(decoded->why, sizeof(decoded->why), "%s", decoded->wrong);
		decoded->wrong = decoded->why;
		return;
	}
	event_decoder_start(&stream->decoder, &stream->chunk);
	stream->is_decoding = true;
}

/* Stamps that are earlier than the stream has come count as what it has reached. */
static void lift_stamps(struct merge_stream *stream, struct decoded *decoded)
{
	struct event *event = decoded->event;

	if (!decoded->filled)
		return;
	for (uint32_t i = 0; i < decoded->filled && event[i].stamp0 < stream->reached; i++) {
		event[i].stamp0 = stream->reached;
		if (event[i].stamp1 < stream->reached)
			event[i].stamp1 = stream->reached;
	}
	stream->reached = event[decoded->filled - 1].stamp1;
}

void merge_stream_work(struct helper_job *job)
{
	struct decoded *decoded = (struct decoded *)job;
	struct merge_stream *stream = decoded->stream;
	int got = 0;

	decoded->at = 0;
	decoded->filled = 0;
	decoded->is_begin = false;
	decoded->is_end = false;
	decoded->wrong = NULL;
	if (!stream->is_decoding && stream->decode_ref == stream->end_ref)
		return;
	if (!stream->is_decoding)
		decode_begin(stream, decoded);
	decoded->ref = &stream->source->index->ref[stream->decode_ref - 1];
	decoded->is_readable = stream->is_decoding;
	if (stream->is_decoding)
		got = event_decoder_fill(&stream->decoder, decoded->event, stream->source->batch,
					 &decoded->filled);
	lift_stamps(stream, decoded);
	decoded->is_end = got <= 0;
	if (!decoded->is_end || !stream->is_decoding)
		return;
	if (got < 0)
		decoded->wrong = stream->decoder.wrong;
	decoded->said = stream->chunk.events;
	decoded->found = stream->decoder.events;
	decoded->last_stamp = stream->decoder.last.stamp;
	chunk_release(&stream->chunk);
	stream->is_decoding = false;
}

/* The rest of a chunk is given up, or it ended: count what is missing. */
static void end_chunk(const struct decoded *decoded, struct merge_source *source)
{
	const struct chunk_ref *ref = decoded->ref;
	struct damage *damage = trace_damage(source->trace);
	const uint64_t lost = decoded->said > decoded->found ? decoded->said - decoded->found : 0;

	if (!decoded->is_readable) {
		damage_add(damage, ref->events, "offset %" PRIu64 ": a chunk is damaged: %s",
			   ref->offset, decoded->wrong);
		return;
	}
	if (decoded->wrong)
		damage_add(damage, lost, "offset %" PRIu64 ": a chunk is damaged after %s: %s",
			   ref->offset, number_of(decoded->found, "event").text, decoded->wrong);
	else if (decoded->said != decoded->found)
		damage_add(damage, lost, "offset %" PRIu64 ": a chunk has %s and says %s",
			   ref->offset, number_of(decoded->found, "event").text,
			   number_count(decoded->said).text);
	if (decoded->last_stamp > source->last_stamp)
		source->last_stamp = decoded->last_stamp;
}

static struct decoded *next_of(struct merge_stream *stream, uint32_t behind)
{
	return &stream->next[(stream->turn + behind) % stream->source->depth];
}

static void post(struct merge_stream *stream)
{
	struct decoded *next = next_of(stream, stream->posted++);

	if (!next->event)
		next->event = xreallocarray(NULL, stream->source->batch + MERGE_LOOK,
					    sizeof(*next->event));
	helper_post(stream->source->helper, &next->job);
}

/* Not one by one, so that the helper sleeps seldom. What the last chunk ends with is not known
 * before it is decoded: jobs behind that find nothing to do. */
static void post_more(struct merge_stream *stream)
{
	const struct merge_source *source = stream->source;

	if (stream->posted > source->depth / 2)
		return;
	if (!stream->is_loaded && !(source->is_early && stream->next_ref < stream->end_ref))
		return;
	while (stream->posted < source->depth)
		post(stream);
}

static void wait(struct merge_stream *stream)
{
	helper_wait(stream->source->helper, &stream->next[stream->turn].job);
	stream->posted--;
}

void merge_stream_end(struct merge_stream *stream)
{
	for (; stream->posted; stream->turn = (stream->turn + 1) % stream->source->depth)
		wait(stream);
	merge_stream_release(stream);
}

/* The events of next, as far as there is room. */
static void take(struct merge_stream *stream)
{
	struct decoded *next = &stream->next[stream->turn];
	const uint32_t left = stream->filled - stream->at;
	const uint32_t room = stream->source->batch + MERGE_LOOK - left;
	uint32_t count = next->filled - next->at;

	if (!left && !next->at) {
		struct event *const done = stream->ahead;

		stream->ahead = next->event;
		next->event = done;
	} else {
		if (count > room)
			count = room;
		memmove(stream->ahead, stream->ahead + stream->at, left * sizeof(*stream->ahead));
		memcpy(stream->ahead + left, next->event + next->at,
		       count * sizeof(*stream->ahead));
	}
	next->at += count;
	stream->at = 0;
	stream->filled = left + count;
}

void merge_stream_fill(struct merge_stream *stream, struct merge_source *source)
{
	struct decoded *next = &stream->next[stream->turn];

	if (!stream->ahead)
		stream->ahead =
			xreallocarray(NULL, source->batch + MERGE_LOOK, sizeof(*stream->ahead));
	if (!stream->is_begun) {
		if (!stream->posted)
			post(stream);
		wait(stream);
		source->chunks += next->is_begin;
		stream->next_ref += next->is_begin;
		stream->is_loaded = true;
	}
	take(stream);
	stream->is_begun = next->at < next->filled;
	if (stream->is_begun)
		return;
	if (next->is_end) {
		end_chunk(next, source);
		stream->is_loaded = false;
	}
	stream->turn = (stream->turn + 1) % source->depth;
	post_more(stream);
}

bool merge_stream_look_further(struct merge_stream *stream, struct merge_source *source,
			       uint64_t limit)
{
	const uint32_t left = stream->filled - stream->at;

	while (stream->filled - stream->at == left) {
		if (!stream->is_loaded &&
		    (stream->next_ref == stream->end_ref ||
		     source->index->ref[stream->next_ref].first_stamp > limit))
			return false;
		merge_stream_fill(stream, source);
	}
	return true;
}
