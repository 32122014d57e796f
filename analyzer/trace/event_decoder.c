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
			const struct frame_table *frames, struct name_pool *texts)
{
	*decoder = (struct event_decoder){ .tree = tree, .frames = frames, .texts = texts };
}

void event_decoder_release(struct event_decoder *decoder)
{
	free(decoder->path);
	free(decoder->predict);
	free(decoder->stack);
	decoder->stack = NULL;
	decoder->stack_capacity = 0;
	decoder->predict = NULL;
	decoder->path = NULL;
	decoder->path_capacity = 0;
}

static void reset(struct event_state *last)
{
	last->depth = 0;
	last->node = 0;
	last->addr = 0;
	last->size = 0;
	last->untracked = 0;
}

/* False: they are not as long as their head says. */
static bool start_columns(struct event_decoder *decoder, const struct chunk *chunk)
{
	decoder->is_rows = !chunk->is_columns;
	if (decoder->is_rows) {
		decoder->column[0] = xt_cursor_init(chunk->bytes, chunk->size);
		return true;
	}
	if (!decoder->predict)
		decoder->predict = xmalloc(sizeof(*decoder->predict));
	xt_predict_reset(decoder->predict);
	return chunk_columns(chunk, decoder->column);
}

void event_decoder_start(struct event_decoder *decoder, const struct chunk *chunk)
{
	if (!decoder->path) {
		decoder->path_capacity = 64;
		decoder->path = xcalloc(decoder->path_capacity, sizeof(*decoder->path));
	}
	decoder->is_whole = start_columns(decoder, chunk);
	decoder->next_name = xt_name(chunk->stream, chunk->base);
	decoder->last_freed = decoder->next_name;
	decoder->last =
		(struct event_state){ .stamp = chunk->first_stamp, .thread = chunk->thread };
	decoder->events = 0;
	decoder->stacks = 0;
	decoder->path_depth = 0;
}

static int damaged(struct event_decoder *decoder, const char *wrong)
{
	decoder->wrong = wrong;
	return -1;
}

INLINE bool add_stamp(struct event_state *last, uint64_t delta)
{
	return !__builtin_add_overflow(last->stamp, delta, &last->stamp);
}

/* The rest of a payload, whatever bytes these are; of longer ones only the beginning. */
static uint32_t read_text(struct event_decoder *decoder, struct xt_cursor *payload)
{
	char text[XT_TEXT_MAX + 1];
	size_t bytes = (size_t)(payload->end - payload->at);

	if (bytes > XT_TEXT_MAX)
		bytes = XT_TEXT_MAX;
	memcpy(text, payload->at, bytes);
	text[bytes] = '\0';
	return name_pool_add(decoder->texts, text);
}

#define READ_MARK 2 /* an event of its own */

static int read_mark(struct event_decoder *decoder, struct xt_cursor *payload)
{
	decoder->what = xt_get_byte(payload);
	decoder->text = read_text(decoder, payload);
	return payload->bad ? damaged(decoder, "it is cut short") : READ_MARK;
}

static int read_pool(struct event_decoder *decoder, struct xt_cursor *payload)
{
	decoder->what = xt_get_byte(payload);
	decoder->pool_addr = xt_get_varint(payload);
	decoder->pool_old = xt_get_varint(payload);
	decoder->text = read_text(decoder, payload);
	if (payload->bad)
		return damaged(decoder, "it is cut short");
	if (decoder->what < XT_POOL_ALLOC || decoder->what > XT_POOL_FREE || !decoder->pool_addr)
		return damaged(decoder, "what happened in a pool is of no known kind");
	decoder->last.pool = 1;
	return 1;
}

static int read_ext(struct event_decoder *decoder, struct xt_cursor *cursor)
{
	const uint8_t type = xt_get_byte(cursor);
	const uint64_t length = xt_get_varint(cursor);
	struct event_state *const last = &decoder->last;
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
		last->thread = (uint32_t)thread;
		reset(last);
		break;
	case XT_EXT_RESET:
		reset(last);
		break;
	case XT_EXT_LOW:
		last->low = xt_get_byte(&payload);
		last->old_low = xt_get_byte(&payload);
		if (last->low > 15 || last->old_low > 15)
			return damaged(decoder, "the low bits of an address are too large");
		break;
	case XT_EXT_TIME:
		if (!add_stamp(last, xt_get_varint(&payload)))
			return damaged(decoder, "a stamp is too large");
		break;
	case XT_EXT_TRACKING:
		last->untracked = xt_get_byte(&payload) ? EVENT_UNTRACKED : 0;
		break;
	case XT_EXT_USABLE:
		last->usable = xt_get_varint(&payload);
		break;
	case XT_EXT_MARK:
		return read_mark(decoder, &payload);
	case XT_EXT_POOL:
		return read_pool(decoder, &payload);
	default: /* XT_EXT_LOST is in the header's count */
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

/* The path of the current stack, which was told by its number. */
static void find_path(struct event_decoder *decoder, const struct event_state *last)
{
	const uint32_t common = decoder->path_depth;
	uint32_t node = last->node;

	if (last->depth >= decoder->path_capacity)
		grow_path(decoder, last->depth);
	for (uint32_t depth = last->depth; depth; depth--) {
		if (depth <= common && decoder->path[depth] == node)
			break;
		decoder->path[depth] = node;
		node = stack_tree_parent(decoder->tree, node);
	}
	decoder->path_depth = last->depth;
}

INLINE bool read_stack(struct event_decoder *decoder, struct event_state *last,
		       struct xt_cursor *stack, struct xt_cursor *frames)
{
	const uint8_t head = xt_get_byte(stack);
	uint64_t pops = head >> 4, pushes = head & 0xF;
	uint32_t depth = last->depth;
	uint32_t node;

	if (pops == ESCAPE)
		pops = xt_get_varint(stack);
	if (pushes == ESCAPE)
		pushes = xt_get_varint(stack);
	if (decoder->path_depth != depth || decoder->path[depth] != last->node)
		find_path(decoder, last);
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
	decoder->path_depth = depth;
	last->depth = depth;
	last->node = node;
	return true;
}

/* The last stack has the next number, as long as there are any. */
static __attribute__((noinline)) void number_stack(struct event_decoder *decoder, uint32_t node,
						   uint32_t depth)
{
	if (decoder->stacks == XT_STACKS_MAX)
		return;
	if (decoder->stacks == decoder->stack_capacity) {
		decoder->stack_capacity = decoder->stack_capacity * 2 + 64;
		decoder->stack = xreallocarray(decoder->stack, decoder->stack_capacity,
					       sizeof(*decoder->stack));
	}
	decoder->stack[decoder->stacks++] = (struct numbered_stack){ node, depth };
}

/* In columns: by its number, or frame by frame. */
INLINE bool read_numbered(struct event_decoder *decoder, struct event_state *last,
			  struct xt_cursor *numbers, struct xt_cursor *rest,
			  struct xt_cursor *frames)
{
	const uint64_t number = xt_get_parted(numbers, rest);

	if (!number) {
		if (!read_stack(decoder, last, frames, frames))
			return false;
		number_stack(decoder, last->node, last->depth);
		return true;
	}
	if (number > decoder->stacks) {
		decoder->wrong = "a stack is called by a number that none has";
		return false;
	}
	last->node = decoder->stack[number - 1].node;
	last->depth = decoder->stack[number - 1].depth;
	return true;
}

INLINE uint64_t read_addr(struct event_state *last, struct xt_cursor *cursor, uint8_t low)
{
	last->addr = xt_get_addr(cursor, last->addr) | low;
	return last->addr;
}

/* The address of a block that goes, in a chunk of columns; *age: how many blocks ago it came, 0
 * where that is not said. */
INLINE uint64_t read_freed(struct event_decoder *decoder, struct event_state *last,
			   struct xt_cursor *cursor, struct xt_cursor *rest, uint8_t low,
			   uint32_t *age)
{
	const uint64_t value = xt_get_parted(cursor, rest);

	*age = 0;
	if (decoder->has_names) {
		if (!value)
			return XT_NAME_NONE;
		decoder->last_freed = xt_name_freed(value, decoder->next_name, decoder->last_freed);
		return decoder->last_freed;
	}
	if (value & 1) {
		last->addr = (((last->addr >> 4) + (uint64_t)xt_unzigzag(value >> 1)) << 4) | low;
	} else if (xt_predict_is_age(decoder->predict, value >> 1)) {
		*age = (uint32_t)(value >> 1);
		last->addr = xt_predict_aged(decoder->predict, *age);
	} else {
		cursor->bad = 1;
	}
	return last->addr;
}

/* The address of a block that came. */
INLINE uint64_t read_given(struct event_decoder *decoder, struct event_state *last,
			   struct xt_cursor *cursor, uint8_t head, uint64_t old_addr, uint32_t age)
{
	struct xt_predict *const predict = decoder->predict;

	if (decoder->has_names) {
		uint64_t name = decoder->next_name;

		if (!(head & XT_EV_PREDICTED))
			name += (uint64_t)xt_unzigzag(xt_get_varint(cursor)) * XT_NAME_STEP;
		decoder->next_name += XT_NAME_STEP;
		return name;
	}
	if (!(head & XT_EV_PREDICTED))
		last->addr =
			xt_predict_get_addr(predict, last->size, xt_get_varint(cursor)) | last->low;
	else if ((head & XT_OP_MASK) == XT_OP_REALLOC)
		last->addr = old_addr;
	else
		last->addr = xt_predict_next(predict, last->size);
	if (age && last->addr != old_addr)
		xt_predict_release(predict, age);
	if (last->low | last->old_low)
		return last->addr;
	if ((head & XT_OP_MASK) == XT_OP_REALLOC && last->addr == old_addr)
		xt_predict_number(predict, last->addr, last->size);
	else
		xt_predict_enter(predict, last->addr, last->size);
	return last->addr;
}

/* rest: NULL of rows. */
INLINE uint64_t read_number(struct xt_cursor *cursor, struct xt_cursor *rest)
{
	return rest ? xt_get_parted(cursor, rest) : xt_get_varint(cursor);
}

INLINE bool read_stamps(struct event_state *last, struct xt_cursor *cursor, struct xt_cursor *rest,
			bool is_realloc, struct event *event)
{
	bool fits = add_stamp(last, read_number(cursor, rest));

	event->stamp0 = last->stamp;
	if (is_realloc)
		fits = fits && add_stamp(last, read_number(cursor, rest));
	return fits;
}

/* It was said of this event. Who says nonsense has a block without slack. */
static __attribute__((noinline)) void take_usable(struct event_state *last, struct event *event)
{
	const int64_t more = (int64_t)(last->usable - event_usable_rule(event->size));

	event->more = more == (int32_t)more ? (int32_t)more : 0;
	last->usable = 0;
}

/* Where a part of an event stands. */
#define COLUMN(name) (&column[is_rows ? 0 : XT_COLUMN_##name])
#define REST(name) (is_rows ? NULL : &column[XT_COLUMN_##name##_REST])
#define IS_CUT(name) (COLUMN(name)->bad | (!is_rows && column[XT_COLUMN_##name##_REST].bad))

INLINE int read_event(struct event_decoder *decoder, struct event_state *last,
		      struct xt_cursor *column, bool is_rows, unsigned head, struct event *event)
{
	const unsigned op = head & XT_OP_MASK;
	const bool is_realloc = op == XT_OP_REALLOC;
	uint64_t addr, old_addr = 0;
	uint32_t age = 0;
	unsigned fn = 0;
	int cut = 0; /* columns that are shorter than what they hold */

	if (!(OPS_KNOWN & OP_BIT(op)) ||
	    (head & XT_EV_PREDICTED &&
	     (is_rows || OPS_UNPREDICTED & OP_BIT(op) || last->low | last->old_low)))
		return damaged(decoder, "an event is of no known kind");
	if (OPS_WITH_FN & OP_BIT(op)) {
		fn = xt_get_byte(COLUMN(HEAD));
		if (fn < XT_FN_MALLOC || fn > XT_FN_NEW)
			return damaged(decoder, "an event is of no known function");
	}
	event->stamp0 = last->stamp;
	event->flags = (is_realloc ? EVENT_BEGIN | EVENT_END : 0) | last->untracked;
	if (head & XT_EV_STAMP) {
		event->flags |= EVENT_STAMPED;
		if (!read_stamps(last, COLUMN(STAMP), REST(STAMP), is_realloc, event))
			return damaged(decoder, "a stamp is too large");
		cut |= IS_CUT(STAMP);
	}
	if (op != XT_OP_FREE) {
		if (!(head & XT_EV_SAME_STACK)) {
			if (is_rows ? !read_stack(decoder, last, COLUMN(STACK), COLUMN(FRAME))
				    : !read_numbered(decoder, last, COLUMN(STACK), REST(STACK),
						     COLUMN(FRAME)))
				return -1;
			cut |= IS_CUT(STACK) | COLUMN(FRAME)->bad;
		}
		if (!(head & XT_EV_SAME_SIZE)) {
			last->size = is_rows ? xt_get_varint_mixed(COLUMN(SIZE))
					     : xt_get_parted(COLUMN(SIZE), REST(SIZE));
			cut |= IS_CUT(SIZE);
		}
	}
	if (op == XT_OP_FREE || is_realloc) {
		const uint8_t low = is_realloc ? last->old_low : last->low;

		old_addr =
			is_rows ? read_addr(last, COLUMN(FREED), low)
				: read_freed(decoder, last, COLUMN(FREED), REST(FREED), low, &age);
		cut |= IS_CUT(FREED);
	}
	if (op == XT_OP_FREE) {
		addr = old_addr;
		old_addr = 0;
		if (age)
			xt_predict_release(decoder->predict, age);
	} else if (op == XT_OP_FAILED) {
		addr = 0;
	} else {
		addr = is_rows ? read_addr(last, COLUMN(ADDR), last->low)
			       : read_given(decoder, last, COLUMN(ADDR), head, old_addr, age);
		cut |= COLUMN(ADDR)->bad;
	}
	if (cut)
		return damaged(decoder, "it is cut short");
	if ((!addr && op != XT_OP_FAILED) || (!old_addr && is_realloc))
		return damaged(decoder, "the address of a block is 0");
	last->low = 0;
	last->old_low = 0;
	event->stamp1 = last->stamp;
	event->size = last->size;
	event->addr = addr;
	event->old_addr = old_addr;
	event->node = last->node;
	event->thread = last->thread;
	event->op = (uint8_t)op;
	event->fn = fn;
	event->more = 0;
	if (__builtin_expect(last->usable, 0))
		take_usable(last, event);
	if (op == XT_OP_FAILED && last->pool) {
		event->op = EVENT_POOL;
		event->fn = decoder->what;
		event->addr = decoder->pool_addr;
		event->old_addr = decoder->pool_old;
		event->text = decoder->text;
	}
	last->pool = 0;
	return 1;
}

static void give_mark(const struct event_decoder *decoder, const struct event_state *last,
		      struct event *event)
{
	*event = (struct event){ .stamp0 = last->stamp,
				 .stamp1 = last->stamp,
				 .thread = last->thread,
				 .op = EVENT_MARK,
				 .fn = decoder->what,
				 .flags = EVENT_STAMPED,
				 .name = name_pool_text(decoder->texts, decoder->text),
				 .text = decoder->text };
}

/* Outside of fill, which has its state in registers. */
static __attribute__((noinline)) int read_ext_of(struct event_decoder *decoder,
						 struct event_state *last, struct xt_cursor *head)
{
	int got;

	decoder->last = *last;
	got = read_ext(decoder, head);
	*last = decoder->last;
	return got;
}

INLINE int fill(struct event_decoder *decoder, bool is_rows, struct event *event, uint32_t room,
		uint32_t *count)
{
	struct xt_cursor column[XT_COLUMNS];
	struct event_state last = decoder->last;
	uint32_t filled = 0, marks = 0;
	int got = 1;

	for (unsigned i = 0; i < (is_rows ? 1 : XT_COLUMNS); i++)
		column[i] = decoder->column[i];
	while (got > 0 && filled < room) {
		unsigned head;

		if (column[0].at == column[0].end) {
			got = 0;
			break;
		}
		head = *column[0].at++;
		if ((head & XT_OP_MASK) != XT_OP_EXT) {
			if (!is_rows)
				head = xt_predict_stamp((uint8_t)head, &last.since, 1);
			got = read_event(decoder, &last, column, is_rows, head, &event[filled]);
			filled += got > 0;
		} else if (head & XT_EV_PREDICTED) {
			got = damaged(decoder, "an event is of no known kind");
		} else {
			/* Copies, so that the rest can be in registers. */
			struct xt_cursor cursor = column[0];
			struct event_state state = last;

			got = read_ext_of(decoder, &state, &cursor);
			column[0] = cursor;
			last = state;
			if (got == READ_MARK) {
				give_mark(decoder, &last, &event[filled++]);
				marks++;
			}
		}
	}
	for (unsigned i = 0; i < (is_rows ? 1 : XT_COLUMNS); i++) {
		decoder->column[i] = column[i];
		if (!got && column[i].at != column[i].end)
			got = damaged(decoder, "a column is longer than its events");
	}
	decoder->last = last;
	decoder->events += filled - marks;
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
