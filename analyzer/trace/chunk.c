/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/chunk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "analyzer/base/mem.h"

#define HAS_CHECKSUM 0x04 /* in a zstd frame's descriptor, the byte after the magic */

struct chunk_reader {
	const struct trace_file *file;
	const struct chunk_index *index;
	char wrong[CHUNK_WRONG_BYTES]; /* what zstd said */
	ZSTD_DCtx *context;
	uint8_t *packed;
	size_t packed_capacity;
};

struct chunk_reader *chunk_reader_new(const struct trace_file *file,
				      const struct chunk_index *index)
{
	struct chunk_reader *reader = xcalloc(1, sizeof(*reader));

	reader->file = file;
	reader->index = index;
	reader->context = ZSTD_createDCtx();
	if (!reader->context)
		out_of_memory(ZSTD_DStreamInSize());
	return reader;
}

void chunk_reader_free(struct chunk_reader *reader)
{
	if (!reader)
		return;
	ZSTD_freeDCtx(reader->context);
	free(reader->packed);
	free(reader);
}

void chunk_release(struct chunk *chunk)
{
	free(chunk->bytes);
	chunk->bytes = NULL;
	chunk->size = 0;
}

static const char *load_slot(const struct chunk_reader *reader, const struct slot *slot,
			     struct chunk *chunk)
{
	chunk->bytes = xmalloc(slot->head.used);
	chunk->size = slot->head.used;
	chunk->base = slot->head.base;
	chunk->first_stamp = slot->head.first_stamp;
	chunk->events = slot->head.events;
	chunk->thread = slot->head.thread;
	chunk->tid = slot->head.tid;
	if (slot->copy)
		memcpy(chunk->bytes, slot->copy, slot->head.used);
	else if (!trace_file_read(reader->file, slot->offset, chunk->bytes, slot->head.used))
		return "it can no longer be read";
	return NULL;
}

static const char *unpack(struct chunk_reader *reader, const struct xt_meta *meta,
			  struct chunk *chunk)
{
	size_t size;

	if (!(reader->packed[4] & HAS_CHECKSUM))
		return "it has no checksum";
	chunk->bytes = xmalloc(meta->raw_bytes);
	size = ZSTD_decompressDCtx(reader->context, chunk->bytes, meta->raw_bytes, reader->packed,
				   meta->zstd_bytes);
	if (ZSTD_isError(size)) {
		snprintf(reader->wrong, sizeof(reader->wrong), "it does not unpack (zstd: %s)",
			 ZSTD_getErrorName(size));
		return reader->wrong;
	}
	if (size != meta->raw_bytes)
		return "it has another length than its metadata says";
	return NULL;
}

static const char *load_frame(struct chunk_reader *reader, const struct chunk_ref *ref,
			      struct chunk *chunk)
{
	struct xt_meta meta;

	if (!trace_file_read(reader->file, ref->offset + XT_FRAME_HEAD_BYTES, &meta, sizeof(meta)))
		return "it can no longer be read";
	/* The file is not ours: what was sane when it was scanned need not be now. */
	if (chunk_kind(&meta) != ref->kind || meta.stream != ref->stream || meta.seq != ref->seq ||
	    !chunk_meta_is_sane(&meta))
		return "it has changed";
	if (meta.zstd_bytes > reader->packed_capacity) {
		reader->packed_capacity = meta.zstd_bytes;
		free(reader->packed);
		reader->packed = xmalloc(meta.zstd_bytes);
	}
	if (!trace_file_read(reader->file, ref->offset + CHUNK_HEAD_BYTES, reader->packed,
			     meta.zstd_bytes))
		return "it can no longer be read";
	chunk->size = meta.raw_bytes;
	chunk->is_columns = meta.kind == XT_KIND_COLUMNS;
	chunk->base = meta.base;
	chunk->first_stamp = meta.first_stamp;
	chunk->last_stamp = meta.last_stamp;
	chunk->events = meta.events;
	chunk->thread = meta.thread;
	chunk->tid = meta.tid;
	return unpack(reader, &meta, chunk);
}

const char *chunk_load(struct chunk_reader *reader, const struct chunk_ref *ref,
		       struct chunk *chunk)
{
	const char *wrong;

	*chunk = (struct chunk){ 0 };
	if (ref->slot)
		wrong = load_slot(reader, &reader->index->slot[ref->slot - 1], chunk);
	else
		wrong = load_frame(reader, ref, chunk);
	if (wrong)
		chunk_release(chunk);
	chunk->stream = ref->stream;
	return wrong;
}

bool chunk_columns(const struct chunk *chunk, struct xt_cursor *column)
{
	const uint8_t *at = chunk->bytes;
	uint64_t left = chunk->size;
	struct xt_columns head;

	if (left < sizeof(head))
		return false;
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	left -= sizeof(head);
	for (unsigned i = 0; i < XT_COLUMNS; i++) {
		if (head.bytes[i] > left)
			return false;
		column[i] = xt_cursor_init(at, head.bytes[i]);
		at += head.bytes[i];
		left -= head.bytes[i];
	}
	return !left;
}
