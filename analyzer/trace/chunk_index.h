/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the chunks of a trace are: found by stepping from frame to frame once, sorted, duplicates
 * dropped. A slot of a live window is a chunk too, the one that was being filled. 48 bytes a chunk.
 */
#ifndef XALLOC_TRACE_CHUNK_INDEX_H
#define XALLOC_TRACE_CHUNK_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/damage.h"
#include "analyzer/trace/trace_file.h"
#include "preload/trace/format.h"

#define CHUNK_HEAD_BYTES (XT_FRAME_HEAD_BYTES + sizeof(struct xt_meta))
/* A raw block costs 3 bytes for 128 KB, frame head and checksum 22: far less than twice a chunk. */
#define CHUNK_ZSTD_BYTES_MAX (2 * XT_COLUMNS_BYTES_MAX)
#define CHUNK_ZSTD_BYTES_MIN 9u /* magic, descriptor, a byte of window or size, a block's head */

struct chunk_ref {
	uint64_t offset; /* of the metadata frame; a slot: of its bytes */
	uint64_t seq, base, first_stamp; /* as in struct xt_meta */
	uint32_t stream, kind; /* XT_KIND_EVENTS of columns, too */
	uint32_t events;
	uint32_t slot;   /* 0: a chunk frame, else number in chunk_index.slot plus 1 */
};

struct slot {
	struct xt_slot head;
	uint64_t offset; /* of its bytes */
	uint8_t *copy;   /* head.used bytes of a live trace; NULL: to be read from the file */
};

/* The chunks of one stream: ref[first] to ref[first + count - 1], in order of seq. */
struct chunk_run {
	uint32_t stream;
	size_t first, count;
};

struct chunk_index {
	struct chunk_ref *ref; /* in order of kind, stream, seq */
	size_t count, capacity;
	struct slot *slot;
	size_t slots, slot_capacity;
	uint64_t *window; /* offsets of the live windows */
	size_t windows, window_capacity;
	struct chunk_run *stream; /* of event chunks */
	size_t streams;
	bool has_totals; /* a frame of them that can be read */
	uint64_t totals_chunks, totals_events; /* missing before a totals frame, if any are */
};

/* What is wrong on the way goes to damage; there is always a result. */
void chunk_index_build(struct chunk_index *index, struct trace_file *file, struct damage *damage);
void chunk_index_release(struct chunk_index *index);

/* Both are the same chunk of the same stream. Of events only the first is kept. Frame ids and
 * records may be there more than once, and then each may hold what the others do not. */
bool chunk_ref_is_equal(const struct chunk_ref *a, const struct chunk_ref *b);

/* The kind of chunk_ref: columns hold events. */
static inline uint32_t chunk_kind(const struct xt_meta *meta)
{
	return meta->kind == XT_KIND_COLUMNS ? XT_KIND_EVENTS : meta->kind;
}

/* Its kind is known, and no size is beyond what a recorder can have written. */
bool chunk_meta_is_sane(const struct xt_meta *meta);

/* "events", "frame ids", "records" */
const char *chunk_kind_name(uint32_t kind);

/* For frame_scan.c. */
struct chunk_ref *chunk_index_add(struct chunk_index *index);

#endif
