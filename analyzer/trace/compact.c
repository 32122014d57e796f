/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/compact.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/column_split.h"
#include "analyzer/trace/trace_output.h"

/* A reader has one chunk of each stream in memory at a time. */
#define ALL_STREAMS_BYTES (16u << 20)
/* Above it the next that are smaller take five times the time: docs/overhead.md. */
#define LEVEL 12
#define CHUNK_BYTES_MAX (XT_COLUMNS_BYTES_MAX - XT_SLOT_BYTES)

struct compact {
	struct trace *trace;
	struct trace_output *out;
	struct column_split split;
	uint64_t seq;   /* of the stream's next chunk */
	uint32_t limit; /* bytes of a chunk of columns */
};

uint32_t compact_limit(size_t streams)
{
	const uint64_t share = streams ? ALL_STREAMS_BYTES / streams : ALL_STREAMS_BYTES;

	if (share < 2 * XT_SLOT_BYTES)
		return 2 * XT_SLOT_BYTES;
	return share < CHUNK_BYTES_MAX ? (uint32_t)share : CHUNK_BYTES_MAX;
}

static void put_columns(struct compact *compact, uint32_t stream)
{
	struct xt_meta meta;
	uint8_t *payload;

	if (!compact->split.used)
		return;
	payload = column_split_take(&compact->split, &meta);
	meta.stream = stream;
	meta.seq = compact->seq++;
	trace_output_chunk(compact->out, meta, payload);
	free(payload);
}

/* As it is. */
static void copy(struct trace_output *out, const struct chunk_ref *ref, const struct chunk *chunk,
		 uint64_t *ids)
{
	struct xt_meta meta = { .kind = ref->kind,
				.stream = ref->stream,
				.seq = ref->seq,
				.base = chunk->base,
				.first_stamp = chunk->first_stamp,
				.events = chunk->events,
				.thread = chunk->thread,
				.tid = chunk->tid,
				.last_stamp = chunk->last_stamp,
				.needs_ids = chunk->needs_ids,
				.raw_bytes = chunk->size };

	if (ref->kind == XT_KIND_IDS) {
		meta.events = chunk->size / (uint32_t)sizeof(struct xt_id);
		if (meta.base + meta.events > *ids)
			*ids = meta.base + meta.events;
	}
	trace_output_chunk(out, meta, chunk->bytes);
}

int compact_set_damaged(const struct trace *trace, uint64_t offset, const char *wrong,
			struct err *err)
{
	return err_set(err, "%s: offset %" PRIu64 ": a chunk is damaged: %s", trace_path(trace),
		       offset, wrong);
}

int compact_copy_rest(struct trace *trace, struct trace_output *out, uint64_t *ids, struct err *err)
{
	const struct chunk_index *index = trace_chunks(trace);

	for (size_t i = 0; i < index->count; i++) {
		const struct chunk_ref *ref = &index->ref[i];
		struct chunk chunk;
		const char *wrong;

		if (ref->kind == XT_KIND_EVENTS)
			continue;
		wrong = chunk_load(trace_reader(trace), ref, &chunk);
		if (wrong)
			return compact_set_damaged(trace, ref->offset, wrong, err);
		copy(out, ref, &chunk, ids);
		chunk_release(&chunk);
	}
	return 0;
}

static const char *add(struct compact *compact, const struct chunk_ref *ref,
		       const struct chunk *chunk)
{
	if (column_split_is_full(&compact->split, chunk, compact->limit))
		put_columns(compact, ref->stream);
	return column_split_add(&compact->split, chunk) ? NULL : "it is damaged";
}

static int put_events(struct compact *compact, struct err *err)
{
	const struct chunk_index *index = trace_chunks(compact->trace);

	for (size_t i = 0; i < index->streams; i++) {
		const struct chunk_run *stream = &index->stream[i];

		compact->seq = 0;
		for (size_t k = 0; k < stream->count; k++) {
			const struct chunk_ref *ref = &index->ref[stream->first + k];
			struct chunk chunk;
			const char *wrong = chunk_load(trace_reader(compact->trace), ref, &chunk);

			if (!wrong)
				wrong = add(compact, ref, &chunk);
			chunk_release(&chunk);
			if (wrong)
				return compact_set_damaged(compact->trace, ref->offset, wrong, err);
		}
		put_columns(compact, stream->stream);
	}
	return 0;
}

int compact_write(struct trace *trace, const char *path, const char *name, struct err *err)
{
	struct compact compact = { .trace = trace,
				   .limit = compact_limit(trace_chunks(trace)->streams) };
	uint64_t ids = 0;
	struct err other;
	int ret;

	if (trace_output_open(&compact.out, path, name, trace_header(trace), LEVEL, err))
		return -1;
	column_split_init(&compact.split);
	ret = put_events(&compact, err);
	if (!ret)
		ret = compact_copy_rest(trace, compact.out, &ids, err);
	column_split_release(&compact.split);
	if (trace_output_close(compact.out, ids, ret ? &other : err))
		ret = -1;
	return ret;
}
