/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace_builder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "preload/trace/codec.h"
#include "preload/trace/sealed.h"

static void die(const char *what)
{
	perror(what);
	abort();
}

static uint8_t *extend(struct trace_builder *builder, size_t size)
{
	uint8_t *start;

	if (builder->size + size > builder->capacity) {
		builder->capacity = (builder->size + size) * 2;
		builder->bytes = realloc(builder->bytes, builder->capacity);
		if (!builder->bytes)
			die("realloc");
	}
	start = builder->bytes + builder->size;
	memset(start, 0, size);
	builder->size += size;
	return start;
}

uint64_t builder_frame(struct trace_builder *builder, uint32_t magic, const void *payload,
		       uint32_t size)
{
	const uint64_t offset = builder->size;
	uint8_t *at = extend(builder, XT_FRAME_HEAD_BYTES + (size_t)size);

	memcpy(at, &magic, sizeof(magic));
	memcpy(at + sizeof(magic), &size, sizeof(size));
	if (payload)
		memcpy(at + XT_FRAME_HEAD_BYTES, payload, size);
	return offset;
}

uint64_t builder_window(struct trace_builder *builder, uint32_t slots)
{
	builder->window = builder_frame(builder, XT_FRAME_WINDOW, NULL,
					XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES +
					slots * XT_SLOT_BYTES);
	builder->next_slot = 0;
	memcpy(builder->bytes + builder->window + XT_FRAME_HEAD_BYTES, &slots, sizeof(slots));
	return builder->window;
}

struct xt_header *builder_header(struct trace_builder *builder)
{
	return (struct xt_header *)(builder->bytes + XT_FRAME_HEAD_BYTES);
}

void builder_init(struct trace_builder *builder, uint32_t slots)
{
	struct xt_header *header;

	memset(builder, 0, sizeof(*builder));
	builder_frame(builder, XT_FRAME_HEADER, NULL, XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES);
	header = builder_header(builder);
	memcpy(header->magic, XT_MAGIC, sizeof(header->magic));
	header->version = XT_VERSION;
	header->oldest_reader = XT_OLDEST_READER;
	header->header_bytes = sizeof(*header);
	header->clock = XT_CLOCK_TSC;
	header->last_pair[0].stamp = 1000000000;
	header->last_pair[0].ns = 1000000000;
	header->last_pair_index = 1;
	header->state = XT_STATE_RECORDING;
	header->depth = 1024;
	builder_window(builder, slots);
}

void builder_release(struct trace_builder *builder)
{
	free(builder->bytes);
	memset(builder, 0, sizeof(*builder));
}

uint64_t builder_chunk(struct trace_builder *builder, struct xt_meta meta, const void *bytes,
		       uint32_t size)
{
	const size_t bound = ZSTD_compressBound(size);
	void *packed = malloc(bound);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	uint64_t offset;
	size_t got;

	if (!packed || !context)
		die("malloc");
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, !builder->no_checksum);
	got = ZSTD_compress2(context, packed, bound, bytes, size);
	if (ZSTD_isError(got))
		die(ZSTD_getErrorName(got));
	meta.raw_bytes = size;
	meta.zstd_bytes = (uint32_t)got;
	meta.check = xt_meta_check(&meta);
	offset = builder_frame(builder, XT_FRAME_CHUNK, &meta, sizeof(meta));
	memcpy(extend(builder, got), packed, got);
	builder->chunks++;
	if (meta.kind == XT_KIND_EVENTS)
		builder->events += meta.events;
	ZSTD_freeCCtx(context);
	free(packed);
	return offset;
}

struct xt_meta builder_meta(const struct trace_builder *builder, uint64_t offset)
{
	struct xt_meta meta;

	memcpy(&meta, builder->bytes + offset + XT_FRAME_HEAD_BYTES, sizeof(meta));
	return meta;
}

void builder_set_meta(struct trace_builder *builder, uint64_t offset, struct xt_meta meta)
{
	meta.check = xt_meta_check(&meta);
	memcpy(builder->bytes + offset + XT_FRAME_HEAD_BYTES, &meta, sizeof(meta));
}

struct xt_slot *builder_slot(struct trace_builder *builder, struct xt_slot head, const void *bytes,
			     uint32_t size)
{
	const uint32_t number = builder->next_slot++;
	uint8_t *page = builder->bytes + builder->window;
	struct xt_slot *slot = (struct xt_slot *)(page + XT_FRAME_HEAD_BYTES +
						  sizeof(struct xt_window)) + number;

	head.used = size;
	*slot = head;
	memcpy(page + XT_PAGE_BYTES + (size_t)number * XT_SLOT_BYTES, bytes, size);
	return slot;
}

uint64_t builder_ids(struct trace_builder *builder, uint64_t seq, uint32_t first, uint32_t count)
{
	struct xt_meta meta = { .kind = XT_KIND_IDS, .seq = seq, .base = first, .events = count };
	struct xt_id *id = calloc(count, sizeof(*id));
	uint64_t offset;

	if (!id)
		die("calloc");
	for (uint32_t i = 0; i < count; i++)
		id[i] = (struct xt_id){ 0x1000ull * (first + i), 1, XT_IDF_READY };
	offset = builder_chunk(builder, meta, id, count * (uint32_t)sizeof(*id));
	free(id);
	return offset;
}

uint64_t builder_totals(struct trace_builder *builder)
{
	const struct xt_totals totals = { .chunks = builder->chunks, .events = builder->events };

	return builder_frame(builder, XT_FRAME_TOTALS, &totals, sizeof(totals));
}

void builder_end(struct trace_builder *builder, int status)
{
	struct xt_header *header = builder_header(builder);

	header->state = XT_STATE_ENDED;
	header->exit_kind = XT_EXIT_STATUS;
	header->exit_status = (uint32_t)status * XT_SURE;
	builder_totals(builder);
}

static void seal_header(struct xt_header *header)
{
	const uint32_t latest = header->last_pair_index;

	if (latest == 1 || latest == 2)
		header->last_pair[latest - 1].check = xt_pair_check(&header->last_pair[latest - 1]);
	header->check = xt_header_check(header);
}

void builder_save(const struct trace_builder *builder, char *path)
{
	const size_t length = strlen(path);
	size_t done = 0;
	int fd;

	if (builder->size >= XT_PAGE_BYTES)
		seal_header((struct xt_header *)(builder->bytes + XT_FRAME_HEAD_BYTES));
	if (length > 6 && !strcmp(path + length - 6, "XXXXXX"))
		fd = mkstemp(path);
	else
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		die(path);
	while (done < builder->size) {
		const ssize_t got = write(fd, builder->bytes + done, builder->size - done);

		if (got <= 0)
			die("write");
		done += (size_t)got;
	}
	close(fd);
}

struct stream_builder *stream_new(struct trace_builder *builder, uint32_t stream, uint32_t thread,
				  uint64_t first_stamp)
{
	struct stream_builder *made = calloc(1, sizeof(*made));

	if (!made)
		die("calloc");
	made->builder = builder;
	made->stream = stream;
	made->thread = thread;
	made->first_stamp = first_stamp;
	made->last_stamp = first_stamp;
	return made;
}

static void next_chunk(struct stream_builder *stream)
{
	stream->seq++;
	stream->base += stream->events;
	stream->events = 0;
	stream->first_stamp = stream->last_stamp;
	stream->last_addr = 0;
	stream->last_size = 0;
	stream->depth = 0;
	stream->used = 0;
}

uint64_t stream_commit(struct stream_builder *stream)
{
	const struct xt_meta meta = {
		.kind = XT_KIND_EVENTS, .stream = stream->stream, .seq = stream->seq,
		.base = stream->base, .first_stamp = stream->first_stamp,
		.last_stamp = stream->last_stamp, .events = stream->events,
		.thread = stream->thread,
	};
	const uint64_t offset = builder_chunk(stream->builder, meta, stream->bytes,
					      (uint32_t)stream->used);

	next_chunk(stream);
	return offset;
}

struct xt_slot *stream_to_slot(struct stream_builder *stream)
{
	const struct xt_slot head = {
		.kind = XT_KIND_EVENTS, .stream = stream->stream, .seq = stream->seq,
		.base = stream->base, .first_stamp = stream->first_stamp, .thread = stream->thread,
		.events = stream->events,
	};
	struct xt_slot *slot = builder_slot(stream->builder, head, stream->bytes,
					    (uint32_t)stream->used);

	next_chunk(stream);
	return slot;
}

void stream_byte(struct stream_builder *stream, uint8_t byte)
{
	stream->bytes[stream->used++] = byte;
}

static void put(struct stream_builder *stream, uint64_t value)
{
	uint8_t *end = xt_put_varint(stream->bytes + stream->used, value);

	stream->used = (size_t)(end - stream->bytes);
}

static void put_stamp(struct stream_builder *stream, uint64_t stamp)
{
	put(stream, stamp - stream->last_stamp);
	stream->last_stamp = stamp;
}

static void put_addr(struct stream_builder *stream, uint64_t addr)
{
	uint8_t *end = xt_put_addr(stream->bytes + stream->used, addr, stream->last_addr);

	stream->used = (size_t)(end - stream->bytes);
	stream->last_addr = addr;
}

static void put_ext(struct stream_builder *stream, uint8_t type, const uint8_t *payload,
		    size_t size)
{
	stream_byte(stream, XT_OP_EXT);
	stream_byte(stream, type);
	put(stream, size);
	memcpy(stream->bytes + stream->used, payload, size);
	stream->used += size;
}

static void put_low(struct stream_builder *stream, uint64_t addr, uint64_t old_addr)
{
	const uint8_t low[2] = { addr & 15, old_addr & 15 };

	if (low[0] || low[1])
		put_ext(stream, XT_EXT_LOW, low, sizeof(low));
}

static void put_counts(struct stream_builder *stream, uint32_t pops, uint32_t pushes)
{
	stream_byte(stream, (uint8_t)((pops < 15 ? pops : 15) << 4 | (pushes < 15 ? pushes : 15)));
	if (pops >= 15)
		put(stream, pops);
	if (pushes >= 15)
		put(stream, pushes);
}

static uint32_t shared_frames(const struct stream_builder *stream, const uint32_t *stack,
			      uint32_t depth)
{
	uint32_t shared = 0;

	while (shared < depth && shared < stream->depth && stack[shared] == stream->stack[shared])
		shared++;
	return shared;
}

static void put_stack(struct stream_builder *stream, const uint32_t *stack, uint32_t depth)
{
	const uint32_t shared = shared_frames(stream, stack, depth);

	put_counts(stream, stream->depth - shared, depth - shared);
	for (uint32_t i = shared; i < depth; i++) {
		put(stream, stack[i]);
		stream->stack[i] = stack[i];
	}
	stream->depth = depth;
}

/* Header byte, function, stamps, stack and size of an event that allocates or tried to. */
static void put_call(struct stream_builder *stream, uint8_t op, uint8_t fn, uint64_t stamp0,
		     uint64_t stamp1, uint64_t size, const uint32_t *stack, uint32_t depth)
{
	const int is_same = stream->depth == depth && shared_frames(stream, stack, depth) == depth;
	const int same_size = stream->last_size == size;

	stream_byte(stream,
		    (uint8_t)(op | (stamp0 ? XT_EV_STAMP : 0) | (is_same ? XT_EV_SAME_STACK : 0) |
				      (same_size ? XT_EV_SAME_SIZE : 0)));
	if (fn)
		stream_byte(stream, fn);
	if (stamp0)
		put_stamp(stream, stamp0);
	if (stamp0 && op == XT_OP_REALLOC)
		put_stamp(stream, stamp1);
	if (!is_same)
		put_stack(stream, stack, depth);
	if (!same_size)
		put(stream, size);
	stream->last_size = size;
	stream->events++;
}

static void make_room(struct stream_builder *stream, uint32_t depth)
{
	if (stream->used + 64 + 5 * (size_t)depth > XT_SLOT_BYTES)
		stream_commit(stream);
}

void stream_alloc(struct stream_builder *stream, enum xt_op op, uint64_t stamp, uint64_t addr,
		  uint64_t size, const uint32_t *stack, uint32_t depth)
{
	make_room(stream, depth);
	put_low(stream, addr, 0);
	put_call(stream, (uint8_t)op, op == XT_OP_ALIGNED ? XT_FN_MEMALIGN : 0, stamp, 0, size,
		 stack, depth);
	put_addr(stream, addr);
}

void stream_free(struct stream_builder *stream, uint64_t stamp, uint64_t addr)
{
	make_room(stream, 0);
	put_low(stream, addr, 0);
	stream_byte(stream, (uint8_t)(XT_OP_FREE | (stamp ? XT_EV_STAMP : 0)));
	if (stamp)
		put_stamp(stream, stamp);
	put_addr(stream, addr);
	stream->events++;
}

void stream_realloc(struct stream_builder *stream, uint64_t stamp0, uint64_t stamp1,
		    uint64_t old_addr, uint64_t addr, uint64_t size, const uint32_t *stack,
		    uint32_t depth)
{
	make_room(stream, depth);
	put_low(stream, addr, old_addr);
	put_call(stream, XT_OP_REALLOC, 0, stamp0, stamp1, size, stack, depth);
	put_addr(stream, old_addr);
	put_addr(stream, addr);
}

void stream_failed(struct stream_builder *stream, uint64_t stamp, enum xt_fn fn, uint64_t size,
		   const uint32_t *stack, uint32_t depth)
{
	make_room(stream, depth);
	put_call(stream, XT_OP_FAILED, (uint8_t)fn, stamp, 0, size, stack, depth);
}

void stream_thread(struct stream_builder *stream, uint32_t thread, uint32_t tid)
{
	uint8_t payload[20], *end = xt_put_varint(payload, thread);

	end = xt_put_varint(end, tid);
	put_ext(stream, XT_EXT_THREAD, payload, (size_t)(end - payload));
	/* Metadata names the thread of a chunk's start: of the next one it is this. */
	stream->depth = 0;
	stream->last_addr = 0;
	stream->last_size = 0;
}

void stream_time(struct stream_builder *stream, uint64_t stamp)
{
	uint8_t payload[10], *end = xt_put_varint(payload, stamp - stream->last_stamp);

	put_ext(stream, XT_EXT_TIME, payload, (size_t)(end - payload));
	stream->last_stamp = stamp;
}
