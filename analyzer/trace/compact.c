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

/* Of one that is edited: it may become four times as long. */
#define EDITED_BYTES (XT_COLUMNS_BYTES_MAX / 4 - XT_SLOT_BYTES)

struct compact {
	struct trace *trace;
	struct trace_output *out;
	const struct compact_edit *edit; /* NULL: none */
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

/* The payload, from malloc, goes. False: it cannot be edited. */
static bool put_edited(struct compact *compact, struct xt_meta meta, uint8_t *payload)
{
	const struct compact_edit *edit = compact->edit;
	const bool is_fine = !edit || edit->columns(edit->owner, &payload, &meta);

	meta.seq = compact->seq++;
	if (is_fine)
		trace_output_chunk(compact->out, meta, payload);
	free(payload);
	return is_fine;
}

static bool put_columns(struct compact *compact, uint32_t stream)
{
	struct xt_meta meta;
	uint8_t *payload;

	if (!compact->split.used)
		return true;
	payload = column_split_take(&compact->split, &meta);
	meta.stream = stream;
	return put_edited(compact, meta, payload);
}

/* What is said of a chunk that is written as it is. */
static struct xt_meta meta_of(const struct chunk_ref *ref, const struct chunk *chunk)
{
	return (struct xt_meta){ .kind = ref->kind,
				 .stream = ref->stream,
				 .seq = ref->seq,
				 .base = chunk->base,
				 .first_stamp = chunk->first_stamp,
				 .events = chunk->events,
				 .thread = chunk->thread,
				 .tid = chunk->tid,
				 .last_stamp = chunk->last_stamp,
				 .raw_bytes = chunk->size };
}

static void copy(struct trace_output *out, const struct chunk_ref *ref, const struct chunk *chunk,
		 uint64_t *ids)
{
	struct xt_meta meta = meta_of(ref, chunk);

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

static int copy_rest(struct trace *trace, struct trace_output *out, bool has_records, uint64_t *ids,
		     struct err *err)
{
	const struct chunk_index *index = trace_chunks(trace);

	for (size_t i = 0; i < index->count; i++) {
		const struct chunk_ref *ref = &index->ref[i];
		struct chunk chunk;
		const char *wrong;

		if (ref->kind == XT_KIND_EVENTS || (ref->kind == XT_KIND_RECORDS && !has_records))
			continue;
		wrong = chunk_load(trace_reader(trace), ref, &chunk);
		if (wrong)
			return compact_set_damaged(trace, ref->offset, wrong, err);
		copy(out, ref, &chunk, ids);
		chunk_release(&chunk);
	}
	return 0;
}

int compact_copy_rest(struct trace *trace, struct trace_output *out, uint64_t *ids, struct err *err)
{
	return copy_rest(trace, out, true, ids, err);
}

/* What is in columns already may be without addresses, and is edited as it stands. */
static bool edit_columns(struct compact *compact, const struct chunk_ref *ref, struct chunk *chunk)
{
	struct xt_meta meta = meta_of(ref, chunk);
	uint8_t *payload = chunk->bytes;

	meta.kind = XT_KIND_COLUMNS;
	chunk->bytes = NULL;
	return put_columns(compact, ref->stream) && put_edited(compact, meta, payload);
}

static const char *add(struct compact *compact, const struct chunk_ref *ref, struct chunk *chunk)
{
	bool is_fine = true;

	if (compact->edit && chunk->is_columns)
		return edit_columns(compact, ref, chunk) ? NULL : "it is damaged";
	if (column_split_is_full(&compact->split, chunk, compact->limit))
		is_fine = put_columns(compact, ref->stream);
	return is_fine && column_split_add(&compact->split, chunk) ? NULL : "it is damaged";
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
		if (!put_columns(compact, stream->stream))
			return compact_set_damaged(compact->trace, index->ref[stream->first].offset,
						   "its stream is damaged", err);
	}
	return 0;
}

int compact_write(struct trace *trace, const char *path, const char *name,
		  const struct compact_edit *edit, struct err *err)
{
	struct compact compact = { .trace = trace,
				   .edit = edit,
				   .limit = compact_limit(trace_chunks(trace)->streams) };
	uint64_t ids = 0;
	struct err other;
	int ret;

	if (edit && compact.limit > EDITED_BYTES)
		compact.limit = EDITED_BYTES;
	if (trace_output_open(&compact.out, path, name, edit ? edit->header : trace_header(trace),
			      LEVEL, err))
		return -1;
	column_split_init(&compact.split);
	ret = put_events(&compact, err);
	if (!ret)
		ret = copy_rest(trace, compact.out, !edit, &ids, err);
	if (!ret && edit)
		ret = edit->records(edit->owner, compact.out, err);
	column_split_release(&compact.split);
	if (trace_output_close(compact.out, ids, ret ? &other : err))
		ret = -1;
	return ret;
}
