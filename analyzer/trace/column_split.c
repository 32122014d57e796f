/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/column_split.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "preload/trace/codec.h"

#define ESCAPE 15u     /* in a stack byte: a varint with the number follows */
#define JOINT_BYTES 64 /* of what stands between two chunks, at most */

void column_split_init(struct column_split *split)
{
	*split = (struct column_split){ .used = 0 };
}

void column_split_release(struct column_split *split)
{
	for (unsigned i = 0; i < XT_COLUMNS; i++)
		free(split->column[i].bytes);
	column_split_init(split);
}

bool column_split_is_full(const struct column_split *split, const struct chunk *chunk,
			  uint32_t limit)
{
	return split->events && (split->used + chunk->size + JOINT_BYTES > limit ||
				 chunk->first_stamp < split->last_stamp ||
				 chunk->base != split->base + split->events);
}

static void put(struct column_split *split, enum xt_column number, const uint8_t *bytes,
		size_t size)
{
	struct column_bytes *column = &split->column[number];

	if (size > column->capacity - column->used) {
		column->capacity = (column->capacity + (uint32_t)size) * 2 + 4096;
		column->bytes = xrealloc(column->bytes, column->capacity);
	}
	memcpy(column->bytes + column->used, bytes, size);
	column->used += (uint32_t)size;
	split->used += (uint32_t)size;
}

static uint64_t move_varint(struct column_split *split, enum xt_column number,
			    struct xt_cursor *cursor)
{
	const uint8_t *const from = cursor->at;
	const uint64_t value = xt_get_varint(cursor);

	put(split, number, from, (size_t)(cursor->at - from));
	return value;
}

static uint8_t move_byte(struct column_split *split, enum xt_column number,
			 struct xt_cursor *cursor)
{
	const uint8_t byte = xt_get_byte(cursor);

	put(split, number, &byte, 1);
	return byte;
}

static void move_stack(struct column_split *split, struct xt_cursor *cursor)
{
	const uint8_t head = move_byte(split, XT_COLUMN_STACK, cursor);
	uint64_t pushes = head & 0xF;

	if (head >> 4 == ESCAPE)
		move_varint(split, XT_COLUMN_STACK, cursor);
	if (pushes == ESCAPE)
		pushes = move_varint(split, XT_COLUMN_STACK, cursor);
	for (; pushes && !cursor->bad; pushes--) {
		const uint64_t id = move_varint(split, XT_COLUMN_FRAME, cursor);

		if (id >= split->needs_ids && id < XT_IDS_MAX)
			split->needs_ids = (uint32_t)id + 1;
	}
}

static void move_ext(struct column_split *split, struct xt_cursor *cursor)
{
	const uint8_t type = move_byte(split, XT_COLUMN_HEAD, cursor);
	const uint64_t length = move_varint(split, XT_COLUMN_HEAD, cursor);
	struct xt_cursor payload;

	if (cursor->bad || length > (uint64_t)(cursor->end - cursor->at)) {
		cursor->bad = 1;
		return;
	}
	put(split, XT_COLUMN_HEAD, cursor->at, length);
	payload = xt_cursor_init(cursor->at, length);
	cursor->at += length;
	if (type == XT_EXT_TIME) {
		split->last_stamp += xt_get_varint(&payload);
	} else if (type == XT_EXT_THREAD) {
		split->thread = (uint32_t)xt_get_varint(&payload);
		split->tid = (uint32_t)xt_get_varint(&payload);
	}
}

static void move_event(struct column_split *split, struct xt_cursor *cursor)
{
	const uint8_t head = move_byte(split, XT_COLUMN_HEAD, cursor);
	const unsigned op = head & XT_OP_MASK;

	if (op == XT_OP_EXT) {
		move_ext(split, cursor);
		return;
	}
	split->events++;
	if (op == XT_OP_ALIGNED || op == XT_OP_FAILED)
		move_byte(split, XT_COLUMN_HEAD, cursor);
	if (head & XT_EV_STAMP)
		split->last_stamp += move_varint(split, XT_COLUMN_STAMP, cursor);
	if (head & XT_EV_STAMP && op == XT_OP_REALLOC)
		split->last_stamp += move_varint(split, XT_COLUMN_STAMP, cursor);
	if (op == XT_OP_FREE) {
		move_varint(split, XT_COLUMN_FREED, cursor);
		return;
	}
	if (!(head & XT_EV_SAME_STACK))
		move_stack(split, cursor);
	if (!(head & XT_EV_SAME_SIZE))
		move_varint(split, XT_COLUMN_SIZE, cursor);
	if (op == XT_OP_REALLOC)
		move_varint(split, XT_COLUMN_FREED, cursor);
	if (op != XT_OP_FAILED)
		move_varint(split, XT_COLUMN_ADDR, cursor);
}

static void put_ext(struct column_split *split, enum xt_ext type, const uint8_t *payload,
		    size_t size)
{
	const uint8_t head[] = { XT_OP_EXT, (uint8_t)type, (uint8_t)size };

	put(split, XT_COLUMN_HEAD, head, sizeof(head));
	put(split, XT_COLUMN_HEAD, payload, size);
}

/* What a chunk's metadata says at its beginning. */
static void put_joint(struct column_split *split, const struct chunk *chunk)
{
	uint8_t bytes[20], *at = bytes;

	if (chunk->thread == split->thread && chunk->tid == split->tid) {
		put_ext(split, XT_EXT_RESET, bytes, 0);
	} else {
		at = xt_put_varint(at, chunk->thread);
		at = xt_put_varint(at, chunk->tid);
		put_ext(split, XT_EXT_THREAD, bytes, (size_t)(at - bytes));
		split->thread = chunk->thread;
		split->tid = chunk->tid;
	}
	if (chunk->first_stamp != split->last_stamp) {
		at = xt_put_varint(bytes, chunk->first_stamp - split->last_stamp);
		put_ext(split, XT_EXT_TIME, bytes, (size_t)(at - bytes));
		split->last_stamp = chunk->first_stamp;
	}
}

bool column_split_add(struct column_split *split, const struct chunk *chunk)
{
	struct xt_cursor cursor = xt_cursor_init(chunk->bytes, chunk->size);
	const uint32_t before = split->events;

	if (before) {
		put_joint(split, chunk);
	} else {
		split->base = chunk->base;
		split->first_stamp = chunk->first_stamp;
		split->last_stamp = chunk->first_stamp;
		split->thread = chunk->thread;
		split->tid = chunk->tid;
		split->start = (struct column_start){ chunk->thread, chunk->tid };
	}
	while (cursor.at != cursor.end && !cursor.bad)
		move_event(split, &cursor);
	return !cursor.bad && split->events - before == chunk->events;
}

uint8_t *column_split_take(struct column_split *split, struct xt_meta *meta)
{
	const uint32_t size = (uint32_t)sizeof(struct xt_columns) + split->used;
	uint8_t *payload = xmalloc(size), *at = payload + sizeof(struct xt_columns);
	struct xt_columns head;

	for (unsigned i = 0; i < XT_COLUMNS; i++) {
		struct column_bytes *column = &split->column[i];

		head.bytes[i] = column->used;
		if (column->used)
			memcpy(at, column->bytes, column->used);
		at += column->used;
		column->used = 0;
	}
	memcpy(payload, &head, sizeof(head));
	*meta = (struct xt_meta){ .kind = XT_KIND_COLUMNS,
				  .base = split->base,
				  .first_stamp = split->first_stamp,
				  .last_stamp = split->last_stamp,
				  .events = split->events,
				  .thread = split->start.thread,
				  .tid = split->start.tid,
				  .needs_ids = split->needs_ids,
				  .raw_bytes = size };
	split->used = 0;
	split->events = 0;
	split->needs_ids = 0;
	return payload;
}
