/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/event_decoder.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

#define ESCAPE 15u /* in a stack byte: a varint with the number follows */

/* Sets of ops, as bits. */
#define OP_BIT(op) (1u << (op))
#define OPS_KNOWN 0x1FEu
#define OPS_WITH_FN (OP_BIT(XT_OP_ALIGNED) | OP_BIT(XT_OP_FAILED))

void event_decoder_init(struct event_decoder *decoder, struct stack_tree *tree,
			const struct frame_table *frames)
{
	*decoder = (struct event_decoder){ .tree = tree, .frames = frames };
}

void event_decoder_release(struct event_decoder *decoder)
{
	free(decoder->path);
	decoder->path = NULL;
	decoder->path_capacity = 0;
}

static void reset(struct event_decoder *decoder)
{
	decoder->depth = 0;
	decoder->last_addr = 0;
	decoder->last_size = 0;
}

void event_decoder_start(struct event_decoder *decoder, const struct chunk *chunk)
{
	if (!decoder->path) {
		decoder->path_capacity = 64;
		decoder->path = xcalloc(decoder->path_capacity, sizeof(*decoder->path));
	}
	decoder->cursor = xt_cursor_init(chunk->bytes, chunk->size);
	decoder->last_stamp = chunk->first_stamp;
	decoder->thread = chunk->thread;
	decoder->events = 0;
	decoder->low = 0;
	decoder->old_low = 0;
	reset(decoder);
}

static int damaged(struct event_decoder *decoder, const char *wrong)
{
	decoder->wrong = wrong;
	return -1;
}

static inline bool add_stamp(struct event_decoder *decoder, uint64_t delta)
{
	return !__builtin_add_overflow(decoder->last_stamp, delta, &decoder->last_stamp);
}

static int read_ext(struct event_decoder *decoder, struct xt_cursor *cursor)
{
	const uint8_t type = xt_get_byte(cursor);
	const uint64_t length = xt_get_varint(cursor);
	struct xt_cursor payload;
	uint64_t thread;

	if (cursor->bad || length > (uint64_t)(cursor->end - cursor->at))
		return damaged(decoder, "it is cut short");
	payload = xt_cursor_init(cursor->at, length);
	cursor->at += length;
	switch (type) {
	case XT_EXT_THREAD:
		thread = xt_get_varint(&payload);
		if (thread > UINT32_MAX)
			return damaged(decoder, "a thread number is too large");
		decoder->thread = (uint32_t)thread;
		reset(decoder);
		break;
	case XT_EXT_RESET:
		reset(decoder);
		break;
	case XT_EXT_LOW:
		decoder->low = xt_get_byte(&payload);
		decoder->old_low = xt_get_byte(&payload);
		if (decoder->low > 15 || decoder->old_low > 15)
			return damaged(decoder, "the low bits of an address are too large");
		break;
	case XT_EXT_TIME:
		if (!add_stamp(decoder, xt_get_varint(&payload)))
			return damaged(decoder, "a stamp is too large");
		break;
	default: /* XT_EXT_LOST is in the header's count; XT_EXT_USABLE is for verify */
		break;
	}
	return payload.bad ? damaged(decoder, "it is cut short") : 1;
}

/* The node of a stack that was not there before. A frame whose entry was lost with the chunk of ids
 * that held it is no reason to lose the event. */
static uint32_t add_node(struct event_decoder *decoder, uint32_t node, uint64_t frame)
{
	uint32_t child;

	if (frame == XT_ID_TRUNCATED || frame == XT_ID_ELIDED) {
		if (node) {
			decoder->wrong = "the mark of a cut stack stands inside a stack";
			return 0;
		}
	} else if (frame < XT_ID_FIRST || frame >= XT_IDS_MAX) {
		decoder->wrong = "a frame id is impossible";
		return 0;
	}
	child = stack_tree_add(decoder->tree, node, (uint32_t)frame);
	if (!child)
		decoder->wrong = "there are too many stacks";
	return child;
}

static bool read_stack(struct event_decoder *decoder, struct xt_cursor *cursor)
{
	const uint8_t head = xt_get_byte(cursor);
	uint64_t pops = head >> 4, pushes = head & 0xF;
	uint32_t depth = decoder->depth;
	uint32_t node;

	if (pops == ESCAPE)
		pops = xt_get_varint(cursor);
	if (pushes == ESCAPE)
		pushes = xt_get_varint(cursor);
	if (pops > depth) {
		decoder->wrong = "it takes more frames than the stack has";
		return false;
	}
	depth -= (uint32_t)pops;
	if (pushes > XT_STACK_MAX - depth) {
		decoder->wrong = "a stack is too deep";
		return false;
	}
	if (depth + pushes >= decoder->path_capacity) {
		decoder->path_capacity = (uint32_t)(depth + pushes) * 2;
		decoder->path = xreallocarray(decoder->path, decoder->path_capacity,
					      sizeof(*decoder->path));
	}
	node = decoder->path[depth];
	for (; pushes; pushes--) {
		const uint64_t frame = xt_get_varint(cursor);
		uint32_t child = 0;

		if (cursor->bad)
			break;
		if (frame <= UINT32_MAX)
			child = stack_tree_find(decoder->tree, node, (uint32_t)frame);
		if (!child) {
			child = add_node(decoder, node, frame);
			if (!child)
				return false;
		}
		node = child;
		decoder->path[++depth] = node;
	}
	decoder->depth = depth;
	return true;
}

static inline uint64_t read_addr(struct event_decoder *decoder, struct xt_cursor *cursor,
				 uint8_t low)
{
	const uint64_t addr = xt_get_addr(cursor, decoder->last_addr) | low;

	decoder->last_addr = addr;
	return addr;
}

static inline bool read_stamps(struct event_decoder *decoder, struct xt_cursor *cursor,
			       uint8_t head, struct event *event)
{
	bool fits = true;

	event->flags = 0;
	if (head & XT_EV_STAMP) {
		event->flags = EVENT_STAMPED;
		fits = add_stamp(decoder, xt_get_varint(cursor));
	}
	event->stamp0 = decoder->last_stamp;
	if (event->flags && event->op == XT_OP_REALLOC)
		fits = fits && add_stamp(decoder, xt_get_varint(cursor));
	event->stamp1 = decoder->last_stamp;
	return fits;
}

static int read_event(struct event_decoder *decoder, struct xt_cursor *cursor, uint8_t head,
		      struct event *event)
{
	const unsigned op = head & XT_OP_MASK;

	if (!(OPS_KNOWN & OP_BIT(op)) || head & XT_EV_RESERVED)
		return damaged(decoder, "an event is of no known kind");
	event->op = (uint8_t)op;
	event->thread = decoder->thread;
	event->fn = 0;
	event->old_addr = 0;
	if (OPS_WITH_FN & OP_BIT(op)) {
		event->fn = xt_get_byte(cursor);
		if (event->fn < XT_FN_MALLOC || event->fn > XT_FN_NEW)
			return damaged(decoder, "an event is of no known function");
	}
	if (!read_stamps(decoder, cursor, head, event))
		return damaged(decoder, "a stamp is too large");
	if (op != XT_OP_FREE) {
		if (!(head & XT_EV_SAME_STACK) && !read_stack(decoder, cursor))
			return -1;
		if (!(head & XT_EV_SAME_SIZE))
			decoder->last_size = xt_get_varint(cursor);
		if (op == XT_OP_REALLOC)
			event->old_addr = read_addr(decoder, cursor, decoder->old_low);
	}
	event->size = decoder->last_size;
	event->node = decoder->path[decoder->depth];
	event->addr = op == XT_OP_FAILED ? 0 : read_addr(decoder, cursor, decoder->low);
	if (cursor->bad)
		return damaged(decoder, "it is cut short");
	if ((!event->addr && op != XT_OP_FAILED) || (!event->old_addr && op == XT_OP_REALLOC))
		return damaged(decoder, "the address of a block is 0");
	decoder->low = 0;
	decoder->old_low = 0;
	decoder->events++;
	return 1;
}

int event_decoder_next(struct event_decoder *decoder, struct event *event)
{
	struct xt_cursor cursor = decoder->cursor;

	while (cursor.at != cursor.end) {
		const uint8_t head = *cursor.at++;
		int got;

		if ((head & XT_OP_MASK) != XT_OP_EXT) {
			got = read_event(decoder, &cursor, head, event);
			decoder->cursor = cursor;
			return got;
		}
		if (head & XT_EV_RESERVED)
			return damaged(decoder, "an event is of no known kind");
		got = read_ext(decoder, &cursor);
		if (got < 0)
			return got;
	}
	decoder->cursor = cursor;
	return 0;
}
