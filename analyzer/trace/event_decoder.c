/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/event_decoder.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"
#include "preload/trace/predict.h"

/* Twice, for rows and for columns, so that each has its cursors in registers. */
#define INLINE static inline __attribute__((always_inline))

#define ESCAPE 15u /* in a stack byte: a varint with the number follows */

/* Sets of ops, as bits. */
#define OP_BIT(op) (1u << (op))
#define OPS_KNOWN 0x1FEu
#define OPS_UNPREDICTED (OP_BIT(XT_OP_FREE) | OP_BIT(XT_OP_FAILED))
#define OPS_WITH_FN (OP_BIT(XT_OP_ALIGNED) | OP_BIT(XT_OP_FAILED))

void event_decoder_init(struct event_decoder *decoder, struct stack_tree *tree,
			const struct frame_table *frames)
{
	*decoder = (struct event_decoder){ .tree = tree, .frames = frames };
}

void event_decoder_release(struct event_decoder *decoder)
{
	free(decoder->path);
	free(decoder->predict);
	decoder->predict = NULL;
	decoder->path = NULL;
	decoder->path_capacity = 0;
}

static void reset(struct event_decoder *decoder)
{
	decoder->depth = 0;
	decoder->last_addr = 0;
	decoder->last_size = 0;
}

/* False: they are not as long as their head says. */
static bool start_columns(struct event_decoder *decoder, const struct chunk *chunk)
{
	const uint8_t *at = chunk->bytes;
	struct xt_columns head = { { 0 } };
	uint64_t left = chunk->size;

	decoder->is_rows = !chunk->is_columns;
	if (decoder->is_rows) {
		decoder->column[0] = xt_cursor_init(at, left);
		return true;
	}
	if (!decoder->predict)
		decoder->predict = xmalloc(sizeof(*decoder->predict));
	xt_predict_reset(decoder->predict);
	if (left < sizeof(head))
		return false;
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	left -= sizeof(head);
	for (unsigned i = 0; i < XT_COLUMNS; i++) {
		if (head.bytes[i] > left)
			return false;
		decoder->column[i] = xt_cursor_init(at, head.bytes[i]);
		at += head.bytes[i];
		left -= head.bytes[i];
	}
	return !left;
}

void event_decoder_start(struct event_decoder *decoder, const struct chunk *chunk)
{
	if (!decoder->path) {
		decoder->path_capacity = 64;
		decoder->path = xcalloc(decoder->path_capacity, sizeof(*decoder->path));
	}
	decoder->is_whole = start_columns(decoder, chunk);
	decoder->last_stamp = chunk->first_stamp;
	decoder->next_name = xt_name(chunk->stream, chunk->base);
	decoder->last_freed = decoder->next_name;
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

INLINE bool add_stamp(struct event_decoder *decoder, uint64_t delta)
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

/* Room on the path for so many frames. */
static void grow_path(struct event_decoder *decoder, uint32_t depth)
{
	decoder->path_capacity = depth * 2;
	decoder->path =
		xreallocarray(decoder->path, decoder->path_capacity, sizeof(*decoder->path));
}

INLINE bool read_stack(struct event_decoder *decoder, struct xt_cursor *stack,
		       struct xt_cursor *frames)
{
	const uint8_t head = xt_get_byte(stack);
	uint64_t pops = head >> 4, pushes = head & 0xF;
	uint32_t depth = decoder->depth;
	uint32_t node;

	if (pops == ESCAPE)
		pops = xt_get_varint(stack);
	if (pushes == ESCAPE)
		pushes = xt_get_varint(stack);
	if (pops > depth) {
		decoder->wrong = "it takes more frames than the stack has";
		return false;
	}
	depth -= (uint32_t)pops;
	if (pushes > XT_STACK_MAX - depth) {
		decoder->wrong = "a stack is too deep";
		return false;
	}
	if (depth + pushes >= decoder->path_capacity)
		grow_path(decoder, (uint32_t)(depth + pushes));
	node = decoder->path[depth];
	for (; pushes; pushes--) {
		const uint64_t frame = xt_get_varint(frames);
		uint32_t child = 0;

		if (frames->bad)
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

INLINE uint64_t read_addr(struct event_decoder *decoder, struct xt_cursor *cursor, uint8_t low)
{
	const uint64_t addr = xt_get_addr(cursor, decoder->last_addr) | low;

	decoder->last_addr = addr;
	return addr;
}

/* The address of a block that goes, in a chunk of columns; *age: how many blocks ago it came, 0
 * where that is not said. */
INLINE uint64_t read_freed(struct event_decoder *decoder, struct xt_cursor *cursor, uint8_t low,
			   uint32_t *age)
{
	const uint64_t value = xt_get_varint(cursor);

	*age = 0;
	if (decoder->has_names) {
		if (!value)
			return XT_NAME_NONE;
		decoder->last_freed = xt_name_freed(value, decoder->next_name, decoder->last_freed);
		return decoder->last_freed;
	}
	if (value & 1) {
		decoder->last_addr =
			(((decoder->last_addr >> 4) + (uint64_t)xt_unzigzag(value >> 1)) << 4) |
			low;
	} else if (xt_predict_is_age(decoder->predict, value >> 1)) {
		*age = (uint32_t)(value >> 1);
		decoder->last_addr = xt_predict_aged(decoder->predict, *age);
	} else {
		cursor->bad = 1;
	}
	return decoder->last_addr;
}

/* The address of a block that came. */
INLINE uint64_t read_given(struct event_decoder *decoder, struct xt_cursor *cursor, uint8_t head,
			   const struct event *event, uint32_t age)
{
	struct xt_predict *const predict = decoder->predict;
	const bool is_odd = decoder->low | decoder->old_low;
	uint64_t addr;

	if (decoder->has_names) {
		addr = decoder->next_name;
		if (!(head & XT_EV_PREDICTED))
			addr += (uint64_t)xt_unzigzag(xt_get_varint(cursor)) * XT_NAME_STEP;
		decoder->next_name += XT_NAME_STEP;
		return addr;
	}
	if (head & XT_EV_PREDICTED)
		addr = event->op == XT_OP_REALLOC ? event->old_addr
						  : xt_predict_next(predict, event->size);
	else
		addr = xt_get_addr(cursor, decoder->last_addr) | decoder->low;
	decoder->last_addr = addr;
	if (age && addr != event->old_addr)
		xt_predict_release(predict, age);
	if (!is_odd)
		xt_predict_enter(predict, addr, event->size);
	return addr;
}

INLINE bool read_stamps(struct event_decoder *decoder, struct xt_cursor *cursor, uint8_t head,
			struct event *event)
{
	bool fits = true;

	event->flags = 0;
	if (head & XT_EV_STAMP) {
		event->flags = EVENT_STAMPED;
		fits = add_stamp(decoder, xt_get_varint(cursor));
	}
	event->stamp0 = decoder->last_stamp;
	if (event->op == XT_OP_REALLOC) {
		if (event->flags)
			fits = fits && add_stamp(decoder, xt_get_varint(cursor));
		event->flags |= EVENT_BEGIN | EVENT_END;
	}
	event->stamp1 = decoder->last_stamp;
	return fits;
}

/* Where a part of an event stands. */
#define COLUMN(name) (&column[is_rows ? 0 : XT_COLUMN_##name])

INLINE int read_event(struct event_decoder *decoder, struct xt_cursor *column, bool is_rows,
		      uint8_t head, struct event *event)
{
	const unsigned op = head & XT_OP_MASK;

	uint32_t age = 0;

	if (!(OPS_KNOWN & OP_BIT(op)) ||
	    (head & XT_EV_PREDICTED &&
	     (is_rows || OPS_UNPREDICTED & OP_BIT(op) || decoder->low | decoder->old_low)))
		return damaged(decoder, "an event is of no known kind");
	event->op = (uint8_t)op;
	event->thread = decoder->thread;
	event->fn = 0;
	event->old_addr = 0;
	if (OPS_WITH_FN & OP_BIT(op)) {
		event->fn = xt_get_byte(COLUMN(HEAD));
		if (event->fn < XT_FN_MALLOC || event->fn > XT_FN_NEW)
			return damaged(decoder, "an event is of no known function");
	}
	if (!read_stamps(decoder, COLUMN(STAMP), head, event))
		return damaged(decoder, "a stamp is too large");
	if (op != XT_OP_FREE) {
		if (!(head & XT_EV_SAME_STACK) &&
		    !read_stack(decoder, COLUMN(STACK), COLUMN(FRAME)))
			return -1;
		if (!(head & XT_EV_SAME_SIZE))
			decoder->last_size = xt_get_varint(COLUMN(SIZE));
		if (op == XT_OP_REALLOC && is_rows)
			event->old_addr = read_addr(decoder, COLUMN(FREED), decoder->old_low);
		else if (op == XT_OP_REALLOC)
			event->old_addr =
				read_freed(decoder, COLUMN(FREED), decoder->old_low, &age);
	}
	event->size = decoder->last_size;
	event->node = decoder->path[decoder->depth];
	if (op == XT_OP_FAILED) {
		event->addr = 0;
	} else if (is_rows) {
		event->addr = read_addr(decoder, COLUMN(FREED), decoder->low);
	} else if (op == XT_OP_FREE) {
		event->addr = read_freed(decoder, COLUMN(FREED), decoder->low, &age);
		if (age)
			xt_predict_release(decoder->predict, age);
	} else {
		event->addr = read_given(decoder, COLUMN(ADDR), head, event, age);
	}
	for (unsigned i = 0; i < (is_rows ? 1 : XT_COLUMNS); i++)
		if (column[i].bad)
			return damaged(decoder, "it is cut short");
	if ((!event->addr && op != XT_OP_FAILED) || (!event->old_addr && op == XT_OP_REALLOC))
		return damaged(decoder, "the address of a block is 0");
	decoder->low = 0;
	decoder->old_low = 0;
	return 1;
}

INLINE int fill(struct event_decoder *decoder, bool is_rows, struct event *event, uint32_t room,
		uint32_t *count)
{
	struct xt_cursor column[XT_COLUMNS];
	uint32_t filled = 0;
	int got = 1;

	for (unsigned i = 0; i < (is_rows ? 1 : XT_COLUMNS); i++)
		column[i] = decoder->column[i];
	while (got > 0 && filled < room) {
		uint8_t head;

		if (column[0].at == column[0].end) {
			got = 0;
			break;
		}
		head = *column[0].at++;
		if ((head & XT_OP_MASK) != XT_OP_EXT) {
			got = read_event(decoder, column, is_rows, head, &event[filled]);
			filled += got > 0;
		} else if (head & XT_EV_PREDICTED) {
			got = damaged(decoder, "an event is of no known kind");
		} else {
			struct xt_cursor copy = column[0];

			got = read_ext(decoder, &copy);
			column[0] = copy;
		}
	}
	for (unsigned i = 0; i < (is_rows ? 1 : XT_COLUMNS); i++) {
		decoder->column[i] = column[i];
		if (!got && column[i].at != column[i].end)
			got = damaged(decoder, "a column is longer than its events");
	}
	decoder->events += filled;
	*count = filled;
	return got;
}

int event_decoder_fill(struct event_decoder *decoder, struct event *event, uint32_t room,
		       uint32_t *count)
{
	*count = 0;
	if (!decoder->is_whole)
		return damaged(decoder, "its columns are not as long as it says");
	if (decoder->is_rows)
		return fill(decoder, true, event, room, count);
	return fill(decoder, false, event, room, count);
}
