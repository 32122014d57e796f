/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds whole trace files, byte for byte as docs/trace-format.md has them, without any code of the
 * recorder or the analyzer but the codec's primitives.
 */
#ifndef XALLOC_TESTS_TRACE_BUILDER_H
#define XALLOC_TESTS_TRACE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

#define BUILDER_STACK_MAX 16384

/* The file as it grows. All of the fields may be changed by hand before it is saved. */
struct trace_builder {
	uint8_t *bytes;
	size_t size, capacity;
	uint64_t window;         /* offset of the window that slots go to, 0: none */
	uint32_t next_slot;      /* of it */
	uint64_t chunks, events; /* in chunk frames */
	int no_checksum;         /* of the zstd frames to come */
};

/* A stream of events: one chunk at a time is filled. */
struct stream_builder {
	struct trace_builder *builder;
	uint32_t stream, thread;
	uint64_t seq, base, first_stamp, last_stamp;
	uint64_t last_addr, last_size;
	uint32_t events; /* in the chunk being filled */
	uint32_t depth;
	uint32_t stack[BUILDER_STACK_MAX];
	uint8_t bytes[XT_SLOT_BYTES + 65536];
	size_t used;
};

/* With a valid header (TSC, one stamp a nanosecond, pairs at 0 and at 1e9) and a window of so many
 * slots. */
void builder_init(struct trace_builder *builder, uint32_t slots);
void builder_release(struct trace_builder *builder);
/* Valid until the file grows. */
struct xt_header *builder_header(struct trace_builder *builder);

/* Any skippable frame; payload NULL: zeros. Returns its offset. */
uint64_t builder_frame(struct trace_builder *builder, uint32_t magic, const void *payload,
		       uint32_t size);
/* Metadata and zstd frame; meta's sizes are filled in. Returns the offset. */
uint64_t builder_chunk(struct trace_builder *builder, struct xt_meta meta, const void *bytes,
		       uint32_t size);
/* The metadata of a chunk, by its offset, and changed metadata, with its checksum, into its place.
 */
struct xt_meta builder_meta(const struct trace_builder *builder, uint64_t offset);
void builder_set_meta(struct trace_builder *builder, uint64_t offset, struct xt_meta meta);
uint64_t builder_window(struct trace_builder *builder, uint32_t slots);
/* Puts bytes into the next slot of the latest window. Returns the slot for changes by hand; valid
 * until the file grows. */
struct xt_slot *builder_slot(struct trace_builder *builder, struct xt_slot head, const void *bytes,
			     uint32_t size);
/* One chunk of ids first to first + count - 1, with pc = 0x1000 * id, epoch 1. */
uint64_t builder_ids(struct trace_builder *builder, uint64_t seq, uint32_t first, uint32_t count);
uint64_t builder_totals(struct trace_builder *builder);
/* The end of a process that returned with that status; writes the totals. */
void builder_end(struct trace_builder *builder, int status);

/* The header gets its checksums. path: where to write; a template of mkstemp when it ends in
 * XXXXXX. */
void builder_save(const struct trace_builder *builder, char *path);

/* About 150 KB: the caller's, on the heap. */
struct stream_builder *stream_new(struct trace_builder *builder, uint32_t stream, uint32_t thread,
				  uint64_t first_stamp);
/* stamp 0: none. stack: ids, outermost first. A chunk that is nearly full is committed by
 * itself. */
void stream_alloc(struct stream_builder *stream, enum xt_op op, uint64_t stamp, uint64_t addr,
		  uint64_t size, const uint32_t *stack, uint32_t depth);
void stream_free(struct stream_builder *stream, uint64_t stamp, uint64_t addr);
void stream_realloc(struct stream_builder *stream, uint64_t stamp0, uint64_t stamp1,
		    uint64_t old_addr, uint64_t addr, uint64_t size, const uint32_t *stack,
		    uint32_t depth);
void stream_failed(struct stream_builder *stream, uint64_t stamp, enum xt_fn fn, uint64_t size,
		   const uint32_t *stack, uint32_t depth);
void stream_thread(struct stream_builder *stream, uint32_t thread, uint32_t tid);
void stream_time(struct stream_builder *stream, uint64_t stamp);
void stream_byte(struct stream_builder *stream, uint8_t byte);
/* What was filled becomes a chunk frame, or a slot's content; the next chunk begins. */
uint64_t stream_commit(struct stream_builder *stream);
struct xt_slot *stream_to_slot(struct stream_builder *stream);

#endif
