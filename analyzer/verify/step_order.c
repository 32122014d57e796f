/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/step_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/verify/check_list.h"

struct stream {
	const struct raw_chunk *chunk, *end; /* not decoded yet */
	struct step_run run;
	size_t taken; /* of the run */
	uint64_t order; /* of its latest step */
	uint32_t rank;
	uint64_t last_stamp; /* of its latest chunk */
	bool has_begun;
};

struct order {
	const struct raw_trace *trace;
	struct step_decoder *decoder;
	struct stream *stream;
	uint32_t streams;
	uint8_t *bytes; /* a chunk's */
	struct step **batch, **spare;
	size_t capacity;
	size_t *run; /* where the sorted runs of the batch end */
	struct step_order_facts *facts;
};

static void find_streams(struct order *order)
{
	const struct raw_trace *trace = order->trace;

	for (size_t i = 0; i < trace->chunks; i++) {
		const struct raw_chunk *chunk = &trace->chunk[i];

		if (chunk->meta.kind != XT_KIND_EVENTS)
			continue;
		if (!order->streams ||
		    order->stream[order->streams - 1].chunk->meta.stream != chunk->meta.stream) {
			order->stream = xreallocarray(order->stream, order->streams + 1,
						      sizeof(*order->stream));
			order->stream[order->streams++] = (struct stream){ .chunk = chunk };
		}
		order->stream[order->streams - 1].end = chunk + 1;
	}
}

/* The places of new steps in the order of all. */
static void place(struct stream *stream, size_t from)
{
	for (size_t i = from; i < stream->run.count; i++) {
		struct step *step = &stream->run.step[i];
		const bool takes = step->op == XT_OP_FREE ||
				   (step->op == XT_OP_REALLOC && step->part != STEP_END);
		uint32_t rank = takes ? 0 : 1;

		if (step->stamp <= stream->order) {
			step->stamp = stream->order;
			if (rank < stream->rank)
				rank = stream->rank;
			/* A realloc that lies before what was reached has one stamp now. */
			if (step->part == STEP_END && step[-1].order == step->stamp) {
				step[-1].part = STEP_WHOLE;
				step->is_done = 1;
				rank = step[-1].rank;
			}
		}
		step->order = step->stamp;
		step->rank = rank;
		stream->order = step->order;
		stream->rank = rank;
	}
}

/* What a chunk says of itself against what was in it. */
static void check_chunk(struct order *order, const struct stream *stream,
			const struct raw_chunk *chunk, uint32_t events, const char *wrong)
{
	struct verify_report *report = order->decoder->report;
	const struct xt_meta *meta = &chunk->meta;

	if (wrong)
		check_fail(report, CHECK_EVENTS,
			   "offset %" PRIu64 ": a chunk is damaged after %s: %s", chunk->offset,
			   number_of(events, "event").text, wrong);
	if (events != meta->events)
		check_fail(report, CHECK_COUNTS, "offset %" PRIu64 ": a chunk has %s and says %s",
			   chunk->offset, number_of(events, "event").text,
			   number_count(meta->events).text);
	if (stream->has_begun && meta->first_stamp < stream->last_stamp)
		check_fail(report, CHECK_STAMPS,
			   "stream %" PRIu32 ": stamps go back from %" PRIu64 " to %" PRIu64
			   " at offset %" PRIu64, meta->stream, stream->last_stamp,
			   meta->first_stamp, chunk->offset);
	if (!chunk->is_slot && !wrong && meta->last_stamp != order->decoder->stamp)
		check_fail(report, CHECK_STAMPS,
			   "offset %" PRIu64 ": a chunk ends at stamp %" PRIu64 " and says %" PRIu64,
			   chunk->offset, order->decoder->stamp, meta->last_stamp);
}

static void load(struct order *order, uint32_t number)
{
	struct stream *stream = &order->stream[number];
	const struct raw_chunk *chunk = stream->chunk++;
	const char *wrong;
	uint32_t size, events;
	struct err err;
	size_t from;

	/* Nobody holds steps that were taken any more. */
	if (stream->taken)
		memmove(stream->run.step, stream->run.step + stream->taken,
			(stream->run.count - stream->taken) * sizeof(*stream->run.step));
	stream->run.count -= stream->taken;
	stream->taken = 0;
	if (raw_trace_unpack(order->trace, chunk, order->bytes, &size, &err)) {
		check_fail(order->decoder->report, CHECK_CHECKSUMS,
			   "offset %" PRIu64 ": a chunk of events: %s", chunk->offset, err.text);
		order->facts->lost += chunk->meta.events;
		return;
	}
	from = stream->run.count;
	events = step_decoder_run(order->decoder, chunk, number, order->bytes, size,
				  &stream->run, &wrong);
	place(stream, from);
	check_chunk(order, stream, chunk, events, wrong);
	order->facts->events += events;
	if (events < chunk->meta.events)
		order->facts->lost += chunk->meta.events - events;
	stream->has_begun = true;
	stream->last_stamp = order->decoder->stamp;
	if (stream->last_stamp > order->facts->last_stamp)
		order->facts->last_stamp = stream->last_stamp;
}

static bool is_before(const struct step *a, const struct step *b)
{
	if (a->order != b->order)
		return a->order < b->order;
	return a->rank != b->rank ? a->rank < b->rank : a->stream < b->stream;
}

/* Two sorted runs, one behind the other, become one; what is equal keeps its order. */
static void merge_two(struct step **from, size_t middle, size_t count, struct step **to)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < count; i++) {
		if (right == count || (left < middle && !is_before(from[right], from[left])))
			to[i] = from[left++];
		else
			to[i] = from[right++];
	}
}

/* order->run[i] is where run i ends. */
static void merge_runs(struct order *order, size_t runs)
{
	while (runs > 1) {
		struct step **swap = order->batch;
		size_t start = 0, kept = 0;

		for (size_t i = 0; i < runs; i += 2) {
			const size_t middle = order->run[i];
			const size_t end = i + 1 < runs ? order->run[i + 1] : middle;

			merge_two(order->batch + start, middle - start, end - start,
				  order->spare + start);
			order->run[kept++] = end;
			start = end;
		}
		order->batch = order->spare;
		order->spare = swap;
		runs = kept;
	}
}

/* Each stream's steps before the horizon; none is taken yet. */
static size_t collect(struct order *order, bool has_horizon, uint64_t horizon)
{
	size_t count = 0, runs = 0;

	for (uint32_t i = 0; i < order->streams; i++) {
		struct stream *stream = &order->stream[i];
		const size_t left = stream->run.count - stream->taken;

		if (!left)
			continue;
		if (count + left > order->capacity) {
			order->capacity = (count + left) * 2;
			order->batch = xreallocarray(order->batch, order->capacity,
						     sizeof(*order->batch));
			order->spare = xreallocarray(order->spare, order->capacity,
						     sizeof(*order->spare));
		}
		for (size_t j = stream->taken; j < stream->run.count; j++) {
			struct step *step = &stream->run.step[j];

			if (has_horizon && step->order >= horizon)
				break;
			order->batch[count++] = step;
		}
		if (!runs || order->run[runs - 1] != count)
			order->run[runs++] = count;
	}
	if (count)
		merge_runs(order, runs);
	return count;
}

/* The steps that are so early that all up to `ahead` later are there. */
static size_t count_own(struct order *order, size_t visible, bool has_horizon, uint64_t horizon,
			uint64_t ahead)
{
	const uint64_t limit = horizon > ahead ? horizon - ahead : 0;
	size_t count;

	for (count = 0; count < visible; count++) {
		const struct step *step = order->batch[count];

		if (has_horizon && step->order >= limit)
			break;
		order->stream[step->stream].taken++;
	}
	return count;
}

void step_order_run(const struct raw_trace *trace, struct step_decoder *decoder, uint64_t ahead,
		    bool (*take)(void *owner, const struct step_batch *batch), void *owner,
		    struct step_order_facts *facts)
{
	struct order order = { .trace = trace, .decoder = decoder, .facts = facts };
	bool goes_on = true;

	*facts = (struct step_order_facts){ 0 };
	find_streams(&order);
	order.bytes = xmalloc(trace->bytes_max);
	order.run = xcalloc((size_t)order.streams + 1, sizeof(*order.run));
	facts->streams = order.streams;
	while (goes_on) {
		uint64_t horizon = 0;
		uint32_t next = UINT32_MAX;
		struct step_batch batch;

		for (uint32_t i = 0; i < order.streams; i++) {
			const struct stream *stream = &order.stream[i];
			uint64_t earliest;

			if (stream->chunk == stream->end)
				continue;
			earliest = stream->chunk->meta.first_stamp;
			if (earliest < stream->order)
				earliest = stream->order;
			if (next == UINT32_MAX || earliest < horizon) {
				horizon = earliest;
				next = i;
			}
		}
		batch.visible = collect(&order, next != UINT32_MAX, horizon);
		batch.count = count_own(&order, batch.visible, next != UINT32_MAX, horizon, ahead);
		batch.step = order.batch;
		if (batch.count)
			goes_on = take(owner, &batch);
		else if (next != UINT32_MAX)
			load(&order, next);
		else
			break;
	}
	for (uint32_t i = 0; i < order.streams; i++)
		free(order.stream[i].run.step);
	free(order.stream);
	free(order.batch);
	free(order.spare);
	free(order.run);
	free(order.bytes);
}
