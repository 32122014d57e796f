/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/merge_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"

void merge_stream_init(struct merge_stream *stream, const struct merge_source *source,
		       uint32_t number, struct stack_tree *tree)
{
	const struct chunk_run *run = &source->index->stream[number];

	*stream = (struct merge_stream){ .number = number, .next_ref = run->first,
					 .end_ref = run->first + run->count };
#if XALLOC_FAULT == 7
	stream->next_ref += run->count > 1;
#endif
	event_decoder_init(&stream->decoder, tree, trace_frames(source->trace));
}

void merge_stream_release(struct merge_stream *stream)
{
	chunk_release(&stream->chunk);
	event_decoder_release(&stream->decoder);
	free(stream->ahead);
	stream->ahead = NULL;
}

/* The rest of the current chunk is given up, or it ended: count what is missing. */
static void end_chunk(struct merge_stream *stream, struct merge_source *source, const char *wrong)
{
	const struct chunk_ref *ref = &source->index->ref[stream->next_ref - 1];
	struct damage *damage = trace_damage(source->trace);
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
	if (stream->decoder.last_stamp > source->last_stamp)
		source->last_stamp = stream->decoder.last_stamp;
	chunk_release(&stream->chunk);
	stream->is_loaded = false;
}

void merge_stream_load(struct merge_stream *stream, struct merge_source *source)
{
	const struct chunk_ref *ref = &source->index->ref[stream->next_ref++];
	const char *wrong = chunk_load(trace_reader(source->trace), ref, &stream->chunk);

	source->chunks++;
	if (!stream->ahead)
		stream->ahead = xcalloc(MERGE_AHEAD, sizeof(*stream->ahead));
	if (wrong) {
		damage_add(trace_damage(source->trace), ref->events,
			   "offset %" PRIu64 ": a chunk is damaged: %s", ref->offset, wrong);
		return;
	}
	event_decoder_start(&stream->decoder, &stream->chunk);
	stream->is_loaded = true;
}

void merge_stream_fill(struct merge_stream *stream, struct merge_source *source)
{
	const uint32_t left = stream->filled - stream->at;
	int got = 1;

	if (left && stream->at)
		memmove(stream->ahead, stream->ahead + stream->at, left * sizeof(*stream->ahead));
	stream->at = 0;
	stream->filled = left;
	while (stream->filled < MERGE_AHEAD) {
		got = event_decoder_next(&stream->decoder, &stream->ahead[stream->filled]);
		if (got <= 0)
			break;
		stream->filled++;
	}
	if (stream->filled > left && source->ahead)
		source->ahead(source->owner, stream->ahead + left, stream->filled - left);
	if (got <= 0)
		end_chunk(stream, source, got < 0 ? stream->decoder.wrong : NULL);
}

bool merge_stream_look_further(struct merge_stream *stream, struct merge_source *source,
			       uint64_t limit)
{
	const uint32_t left = stream->filled - stream->at;

	while (stream->filled - stream->at == left && left < MERGE_AHEAD) {
		if (stream->is_loaded)
			merge_stream_fill(stream, source);
		else if (stream->next_ref < stream->end_ref &&
			 source->index->ref[stream->next_ref].first_stamp <= limit)
			merge_stream_load(stream, source);
		else
			return false;
	}
	return left < MERGE_AHEAD;
}
