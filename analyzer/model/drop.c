/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/drop.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/block_names.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/column_split.h"
#include "analyzer/trace/compact.h"
#include "analyzer/trace/trace_output.h"
#include "preload/trace/predict.h"

/* Who drops wants it small: a twentieth to a sixth less than compact's, for twice its time. */
#define LEVEL 16

struct drop_stream {
	struct column_split split;
	struct chunk chunk; /* the one that is read */
	bool is_loaded;
	size_t next_chunk;           /* of the stream's */
	uint64_t seq;                /* of the next chunk that is written */
	struct column_change change; /* of the event under way */
	uint64_t handed_out; /* stamp of the latest step that gave nothing back; UINT64_MAX: none */
};

/* A place in the order of all: see "The order of events" in docs/trace-format.md. */
struct place {
	uint64_t stamp;
	bool is_late; /* no FREE, no first step of a REALLOC, or behind such a one of its stamp */
	uint32_t stream;
};

struct drop {
	struct trace *trace;
	const struct chunk_index *index;
	struct chunk_reader *reader;
	struct drop_parts parts;
	struct trace_output *out;
	struct replay_tap tap;
	struct drop_stream *stream;
	struct block_names *names;
	struct place last;
	bool is_begun; /* there is a last one */
	uint32_t limit;
	const char *wrong; /* in a few words; NULL */
	uint64_t wrong_offset;
};

static void put_columns(struct drop *drop, uint32_t number)
{
	struct drop_stream *stream = &drop->stream[number];
	struct xt_meta meta;
	uint8_t *payload;

	if (!stream->split.used)
		return;
	payload = column_split_take(&stream->split, &meta);
	meta.stream = drop->index->stream[number].stream;
	meta.seq = stream->seq++;
	trace_output_chunk(drop->out, meta, payload);
	free(payload);
}

static bool fail(struct drop *drop, const struct chunk_ref *ref, const char *wrong)
{
	drop->wrong = wrong;
	drop->wrong_offset = ref->offset;
	return false;
}

/* The chunk that is read has come to its end. */
static bool end_chunk(struct drop *drop, uint32_t number)
{
	struct drop_stream *stream = &drop->stream[number];
	const struct chunk_run *run = &drop->index->stream[number];
	const bool is_sound = column_split_end(&stream->split, &stream->chunk, &stream->change);

	chunk_release(&stream->chunk);
	stream->is_loaded = false;
	return is_sound ||
	       fail(drop, &drop->index->ref[run->first + stream->next_chunk - 1], "it is damaged");
}

static bool begin_chunk(struct drop *drop, uint32_t number)
{
	struct drop_stream *stream = &drop->stream[number];
	const struct chunk_run *run = &drop->index->stream[number];
	const struct chunk_ref *ref = &drop->index->ref[run->first + stream->next_chunk];
	const char *wrong;

	if (stream->next_chunk == run->count)
		return fail(drop, ref - 1, "it has fewer events than it says");
	wrong = chunk_load(drop->reader, ref, &stream->chunk);
	if (wrong)
		return fail(drop, ref, wrong);
	stream->next_chunk++;
	stream->is_loaded = true;
	if (column_split_is_full(&stream->split, &stream->chunk, drop->limit))
		put_columns(drop, number);
	return column_split_begin(&stream->split, &stream->chunk, &stream->change) ||
	       fail(drop, ref, "it is damaged");
}

/* The chunk that has the stream's next event is the one that is read. */
static bool find_chunk(struct drop *drop, uint32_t number)
{
	struct drop_stream *stream = &drop->stream[number];

	while (!drop->wrong &&
	       (!stream->is_loaded || column_split_is_done(&stream->split, &stream->chunk)))
		if ((stream->is_loaded && !end_chunk(drop, number)) || !begin_chunk(drop, number))
			return false;
	return !drop->wrong;
}

static bool is_behind(struct place a, struct place b)
{
	if (a.stamp != b.stamp)
		return a.stamp > b.stamp;
	if (a.is_late != b.is_late)
		return a.is_late;
	return a.stream > b.stream;
}

/* The stamp of what happens now, so that it happens now. Where stamps are kept it is another one
 * only when the clock could not tell the order. */
static uint64_t stamp_of(struct drop *drop, struct place place)
{
	const struct place last = drop->last;
	const bool is_other = !drop->is_begun || place.stream != last.stream;
	const bool hands_out = place.is_late;
	uint64_t *const handed_out = &drop->stream[place.stream].handed_out;

	if (drop->parts.stamps) {
		place.stamp = last.stamp + is_other;
	} else {
		if (place.stamp < last.stamp)
			place.stamp = last.stamp;
		place.is_late |= place.stamp == *handed_out;
		if (is_other && drop->is_begun && !is_behind(place, last))
			place.stamp = last.stamp + 1;
	}
	if (hands_out)
		*handed_out = place.stamp;
	drop->last = place;
	drop->is_begun = true;
	return place.stamp;
}

static void move(struct drop *drop, uint32_t number, const struct event *event)
{
	struct drop_stream *stream = &drop->stream[number];

	stream->change.op = event->op;
	if (find_chunk(drop, number) && !column_split_move(&stream->split, &stream->change))
		fail(drop,
		     &drop->index->ref[drop->index->stream[number].first + stream->next_chunk - 1],
		     "it is damaged");
}

static void tap_gone(void *owner, uint32_t number, const struct event *event,
		     const struct block *block, bool is_latest)
{
	struct drop *drop = owner;
	struct column_change *change = &drop->stream[number].change;

	if (drop->wrong)
		return;
	change->stamp[0] = stamp_of(drop, (struct place){ event->stamp0, false, number });
	change->is_foreign = !block;
	if (block && drop->names)
		change->freed = block_names_take(drop->names, block, is_latest);
	if (event->op == XT_OP_FREE)
		move(drop, number, event);
}

static void tap_given(void *owner, uint32_t number, const struct event *event,
		      const struct block *block, const struct block *closed, bool was_latest)
{
	struct drop *drop = owner;
	struct drop_stream *stream = &drop->stream[number];
	struct column_change *change = &stream->change;
	const bool is_realloc = event->op == XT_OP_REALLOC;
	uint64_t name;

	if (drop->wrong)
		return;
	/* A realloc whose stamps are equal is one step, and comes where its first does. */
	change->stamp[is_realloc] = stamp_of(
		drop, (struct place){ event->stamp1, !is_realloc || event->stamp0 != event->stamp1,
				      number });
	if (is_realloc && change->stamp[0] != change->stamp[1])
		drop->last.is_late = true;
	if (!find_chunk(drop, number))
		return;
	change->given = 0;
	if (drop->names) {
		if (closed)
			change->given = block_names_take(drop->names, closed, was_latest);
		name = closed ? change->given : stream->split.next_name;
		block_names_add(drop->names, block, name);
	}
	move(drop, number, event);
}

static void tap_failed(void *owner, uint32_t number, const struct event *event)
{
	struct drop *drop = owner;

	if (drop->wrong)
		return;
	drop->stream[number].change.stamp[0] =
		stamp_of(drop, (struct place){ event->stamp0, true, number });
	move(drop, number, event);
}

static struct xt_header header_of(const struct drop *drop)
{
	struct xt_header header = *trace_header(drop->trace);

	if (drop->parts.addresses)
		header.usable_rule = XT_USABLE_NO_ADDRESSES;
	if (drop->parts.stamps) {
		header.clock = XT_CLOCK_ORDER;
		header.first_pair.stamp = 0;
		header.last_pair_index = 0;
		for (unsigned i = 0; i < 2; i++)
			header.last_pair[i] = (struct xt_clock_pair){ 0 };
	}
	return header;
}

struct drop *drop_begin(struct trace *trace, struct drop_parts parts, const char *path,
			const char *name, struct err *err)
{
	struct drop *drop = xcalloc(1, sizeof(*drop));
	struct xt_header header;

	drop->trace = trace;
	drop->index = trace_chunks(trace);
	drop->parts.addresses = parts.addresses || trace_has_dropped(trace, TRACE_ADDRESSES);
	drop->parts.stamps = parts.stamps || trace_has_dropped(trace, TRACE_STAMPS);
	header = header_of(drop);
	if (trace_output_open(&drop->out, path, name, &header, LEVEL, err)) {
		free(drop);
		return NULL;
	}
	drop->reader = trace_reader_new(trace);
	drop->limit = compact_limit(drop->index->streams);
	drop->tap = (struct replay_tap){
		.gone = tap_gone, .given = tap_given, .failed = tap_failed, .owner = drop
	};
	drop->stream = xcalloc(drop->index->streams, sizeof(*drop->stream));
	for (size_t i = 0; i < drop->index->streams; i++) {
		column_split_init(&drop->stream[i].split);
		drop->stream[i].handed_out = UINT64_MAX;
		drop->stream[i].change.drops_addresses = drop->parts.addresses;
		drop->stream[i].change.drops_stamps = drop->parts.stamps;
	}
	if (drop->parts.addresses)
		drop->names = block_names_new();
	return drop;
}

const struct replay_tap *drop_tap(const struct drop *drop)
{
	return &drop->tap;
}

/* What stands behind its last event. */
static void end_stream(struct drop *drop, uint32_t number)
{
	struct drop_stream *stream = &drop->stream[number];

	while (!drop->wrong &&
	       (stream->is_loaded || stream->next_chunk < drop->index->stream[number].count))
		if (stream->is_loaded ? !end_chunk(drop, number) : !begin_chunk(drop, number))
			return;
	put_columns(drop, number);
}

int drop_end(struct drop *drop, struct err *err)
{
	uint64_t ids = 0;
	struct err other;
	int ret = 0;

	for (uint32_t i = 0; i < drop->index->streams; i++) {
		if (!drop->wrong)
			end_stream(drop, i);
		chunk_release(&drop->stream[i].chunk);
		column_split_release(&drop->stream[i].split);
	}
	if (drop->wrong)
		ret = compact_set_damaged(drop->trace, drop->wrong_offset, drop->wrong, err);
	else
		ret = compact_copy_rest(drop->trace, drop->out, &ids, err);
	if (trace_output_close(drop->out, ids, ret ? &other : err))
		ret = -1;
	chunk_reader_free(drop->reader);
	if (drop->names)
		block_names_free(drop->names);
	free(drop->stream);
	free(drop);
	return ret;
}
