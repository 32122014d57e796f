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
	*split = (struct column_split){ .read = xmalloc(sizeof(*split->read)),
					.written = xmalloc(sizeof(*split->written)),
					.recent = xmalloc(sizeof(*split->recent)) };
	column_stacks_init(&split->stacks);
}

void column_split_release(struct column_split *split)
{
	for (unsigned i = 0; i < XT_COLUMNS; i++)
		free(split->column[i].bytes);
	free(split->read);
	free(split->written);
	free(split->recent);
	column_stacks_release(&split->stacks);
	*split = (struct column_split){ .used = 0 };
}

bool column_split_is_full(const struct column_split *split, const struct chunk *chunk,
			  uint32_t limit)
{
	return split->used && (split->used + chunk->size + JOINT_BYTES > limit ||
			       chunk->first_stamp < split->stamp_read ||
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

static void put_varint(struct column_split *split, enum xt_column number, uint64_t value)
{
	uint8_t bytes[10];

	put(split, number, bytes, (size_t)(xt_put_varint(bytes, value) - bytes));
}

static void put_parted(struct column_split *split, enum xt_column first, enum xt_column rest,
		       uint64_t value)
{
	uint8_t one, *at = &one, bytes[10], *end = bytes;

	xt_put_parted(&at, &end, value);
	put(split, first, &one, 1);
	if (end != bytes)
		put(split, rest, bytes, (size_t)(end - bytes));
}

static uint64_t get_parted(const struct column_split *split, enum xt_column first,
			   enum xt_column rest)
{
	if (!split->in_columns)
		return xt_get_varint(split->in[first]);
	return xt_get_parted(split->in[first], split->in[rest]);
}

static void put_frames(struct column_split *split)
{
	const struct column_stacks *const stacks = &split->stacks;
	const uint32_t pops = stacks->depth - stacks->common;
	const uint32_t pushes = stacks->next_depth - stacks->common;
	const uint8_t head = (uint8_t)((pops < ESCAPE ? pops : ESCAPE) << 4 |
				       (pushes < ESCAPE ? pushes : ESCAPE));

	put(split, XT_COLUMN_FRAME, &head, 1);
	if (pops >= ESCAPE)
		put_varint(split, XT_COLUMN_FRAME, pops);
	if (pushes >= ESCAPE)
		put_varint(split, XT_COLUMN_FRAME, pushes);
	for (uint32_t at = stacks->common + 1; at <= stacks->next_depth; at++) {
		const uint32_t id = stack_tree_frame(stacks->tree, stacks->next[at]);

		put_varint(split, XT_COLUMN_FRAME, id);
	}
}

static void move_stack(struct column_split *split)
{
	struct xt_cursor *const frames = split->in[XT_COLUMN_FRAME];
	const uint64_t number =
		split->in_columns ? get_parted(split, XT_COLUMN_STACK, XT_COLUMN_STACK_REST) : 0;
	const bool is_sound = number ? column_stacks_call(&split->stacks, number)
				     : column_stacks_read(&split->stacks, frames);
	uint32_t written;

	if (!is_sound) {
		frames->bad = 1;
		return;
	}
	written = column_stacks_number(&split->stacks);
	put_parted(split, XT_COLUMN_STACK, XT_COLUMN_STACK_REST, written);
	if (!written)
		put_frames(split);
	column_stacks_take(&split->stacks, split->in_columns && !number, !written);
}

static void put_ext(struct column_split *split, enum xt_ext type, const uint8_t *payload,
		    size_t size)
{
	const uint8_t head[] = { XT_OP_EXT, (uint8_t)type };

	put(split, XT_COLUMN_HEAD, head, sizeof(head));
	put_varint(split, XT_COLUMN_HEAD, size);
	put(split, XT_COLUMN_HEAD, payload, size);
}

static void put_time(struct column_split *split, uint64_t stamp)
{
	uint8_t bytes[10];

	if (stamp == split->last_stamp)
		return;
	put_ext(split, XT_EXT_TIME, bytes,
		(size_t)(xt_put_varint(bytes, stamp - split->last_stamp) - bytes));
	split->last_stamp = stamp;
}

/* Does it say what is dropped, or what the stamps of the events will say? */
static bool is_left_out(const struct column_split *split, uint8_t type)
{
	if (!split->change)
		return false;
	return type == XT_EXT_TIME ||
	       (split->change->drops_addresses && (type == XT_EXT_LOW || type == XT_EXT_USABLE));
}

static void move_ext(struct column_split *split)
{
	struct xt_cursor *const cursor = split->in[XT_COLUMN_HEAD];
	const uint8_t type = xt_get_byte(cursor);
	const uint64_t length = xt_get_varint(cursor);
	struct xt_cursor payload;
	uint64_t delta;

	if (cursor->bad || length > (uint64_t)(cursor->end - cursor->at)) {
		cursor->bad = 1;
		return;
	}
	if (!is_left_out(split, type))
		put_ext(split, type, cursor->at, length);
	payload = xt_cursor_init(cursor->at, length);
	cursor->at += length;
	if (type == XT_EXT_TIME) {
		delta = xt_get_varint(&payload);
		split->stamp_read += delta;
		if (!split->change)
			split->last_stamp += delta;
	} else if (type == XT_EXT_THREAD) {
		split->thread = (uint32_t)xt_get_varint(&payload);
		split->tid = (uint32_t)xt_get_varint(&payload);
	} else if (type == XT_EXT_LOW) {
		split->low = xt_get_byte(&payload) & 15;
		split->old_low = xt_get_byte(&payload) & 15;
	}
	if (type == XT_EXT_THREAD || type == XT_EXT_RESET) {
		split->last_addr = 0;
		split->last_size = 0;
		column_stacks_clear(&split->stacks);
	}
}

static uint64_t address_by(struct column_split *split, uint64_t zigzag, uint8_t low)
{
	return (((split->last_addr >> 4) + (uint64_t)xt_unzigzag(zigzag)) << 4) | low;
}

static uint64_t zigzag_from(uint64_t base, uint64_t addr)
{
	return xt_zigzag((int64_t)((addr >> 4) - (base >> 4)));
}

/* The block that goes; whether its age is known to who reads the old chunk, and the new one. */
static uint64_t move_freed(struct column_split *split, uint8_t low, uint32_t *age,
			   uint32_t *new_age)
{
	struct xt_cursor *const cursor = split->in[XT_COLUMN_FREED];
	uint64_t value = get_parted(split, XT_COLUMN_FREED, XT_COLUMN_FREED_REST), addr;

	*age = 0;
	if (!split->in_columns) {
		addr = address_by(split, value, low);
	} else if (value & 1) {
		addr = address_by(split, value >> 1, low);
	} else if (xt_predict_is_age(split->read, value >> 1)) {
		*age = (uint32_t)(value >> 1);
		addr = xt_predict_aged(split->read, *age);
	} else {
		cursor->bad = 1;
		return 0;
	}
	*new_age = split->low | split->old_low ? 0
					       : xt_recent_age(split->recent, split->written, addr);
	put_parted(split, XT_COLUMN_FREED, XT_COLUMN_FREED_REST,
		   *new_age ? (uint64_t)*new_age << 1
			    : zigzag_from(split->last_addr, addr) << 1 | 1);
	split->last_addr = addr;
	return addr;
}

/* From head on, whose place in the new chunk is known by then; old 0: it is no REALLOC. */
static void move_addresses(struct column_split *split, uint8_t *head, unsigned op)
{
	const bool is_odd = split->low | split->old_low, is_realloc = op == XT_OP_REALLOC;
	uint32_t age = 0, new_age = 0;
	uint64_t old = 0, addr;

	if (is_realloc)
		old = move_freed(split, split->old_low, &age, &new_age);
	if (*head & XT_EV_PREDICTED)
		addr = is_realloc ? old : xt_predict_next(split->read, split->last_size);
	else if (split->in_columns)
		addr = xt_predict_get_addr(split->read, split->last_size,
					   xt_get_varint(split->in[XT_COLUMN_ADDR])) |
		       split->low;
	else
		addr = address_by(split, xt_get_varint(split->in[XT_COLUMN_ADDR]), split->low);
	*head &= (uint8_t)~XT_EV_PREDICTED;
	if (!is_odd &&
	    addr == (is_realloc ? old : xt_predict_next(split->written, split->last_size)))
		*head |= XT_EV_PREDICTED;
	else
		put_varint(split, XT_COLUMN_ADDR,
			   zigzag_from(xt_predict_base(split->written, split->last_size), addr));
	split->last_addr = addr;
	if (age && addr != old)
		xt_predict_release(split->read, age);
	if (new_age && addr != old)
		xt_predict_release(split->written, new_age);
	if (is_odd)
		return;
	if (is_realloc && addr == old) {
		xt_predict_number(split->read, addr, split->last_size);
		xt_predict_number(split->written, addr, split->last_size);
	} else {
		xt_predict_enter(split->read, addr, split->last_size);
		xt_predict_enter(split->written, addr, split->last_size);
	}
	xt_recent_enter(split->recent, split->written, addr);
}

/* Of a block that goes: how many blocks ago it came, or how far it is from the one before it. */
static void put_freed_name(struct column_split *split)
{
	const struct column_change *const change = split->change;
	const uint64_t near =
		xt_zigzag((int64_t)(change->freed - split->last_freed) / (int64_t)XT_NAME_STEP);
	const uint64_t age = (split->next_name - change->freed) / XT_NAME_STEP;

	if (change->is_foreign) {
		put_parted(split, XT_COLUMN_FREED, XT_COLUMN_FREED_REST, 0);
		return;
	}
	put_parted(split, XT_COLUMN_FREED, XT_COLUMN_FREED_REST,
		   change->freed < split->next_name && age <= near ? age << 1 : near << 1 | 1);
	split->last_freed = change->freed;
}

static void move_names(struct column_split *split, uint8_t *head, unsigned op)
{
	const struct column_change *const change = split->change;

	if (op == XT_OP_FREE || op == XT_OP_REALLOC) {
		get_parted(split, XT_COLUMN_FREED, XT_COLUMN_FREED_REST);
		put_freed_name(split);
	}
	if (op == XT_OP_FREE)
		return;
	if (!(*head & XT_EV_PREDICTED))
		xt_get_varint(split->in[XT_COLUMN_ADDR]);
	*head |= XT_EV_PREDICTED;
	if (change->given) {
		*head &= (uint8_t)~XT_EV_PREDICTED;
		put_varint(split, XT_COLUMN_ADDR,
			   xt_zigzag((int64_t)(change->given - split->next_name) /
				     (int64_t)XT_NAME_STEP));
	}
	split->next_name += XT_NAME_STEP;
}

static void move_free(struct column_split *split)
{
	uint32_t age, new_age;

	move_freed(split, split->low, &age, &new_age);
	if (age)
		xt_predict_release(split->read, age);
	if (new_age)
		xt_predict_release(split->written, new_age);
}

/* Returns the header with the bit as it is now. */
static uint8_t move_stamps(struct column_split *split, uint8_t head, unsigned op)
{
	const struct column_change *const change = split->change;
	const bool is_realloc = op == XT_OP_REALLOC;
	uint64_t first, second;

	if (head & XT_EV_STAMP)
		split->stamp_read += get_parted(split, XT_COLUMN_STAMP, XT_COLUMN_STAMP_REST);
	first = split->stamp_read;
	if (head & XT_EV_STAMP && is_realloc)
		split->stamp_read += get_parted(split, XT_COLUMN_STAMP, XT_COLUMN_STAMP_REST);
	second = split->stamp_read;
	if (change) {
		first = change->stamp[0];
		second = is_realloc ? change->stamp[1] : first;
		if (change->drops_stamps && first == split->last_stamp)
			head &= (uint8_t)~XT_EV_STAMP;
		else if (change->drops_stamps)
			head |= XT_EV_STAMP;
		if (second != first)
			head |= XT_EV_STAMP;
	}
	if (!(head & XT_EV_STAMP)) {
		put_time(split, first);
		return head;
	}
	put_parted(split, XT_COLUMN_STAMP, XT_COLUMN_STAMP_REST, first - split->last_stamp);
	if (is_realloc)
		put_parted(split, XT_COLUMN_STAMP, XT_COLUMN_STAMP_REST, second - first);
	split->last_stamp = second;
	return head;
}

static void move_size(struct column_split *split)
{
	split->last_size = get_parted(split, XT_COLUMN_SIZE, XT_COLUMN_SIZE_REST);
	put_parted(split, XT_COLUMN_SIZE, XT_COLUMN_SIZE_REST, split->last_size);
}

static void move_event(struct column_split *split, uint8_t head)
{
	const unsigned op = head & XT_OP_MASK;
	uint8_t written;
	uint32_t head_at;
	uint8_t function = 0;

	split->events++;
	if (op == XT_OP_ALIGNED || op == XT_OP_FAILED)
		function = xt_get_byte(split->in[XT_COLUMN_HEAD]);
	if (split->in_columns)
		head = xt_predict_stamp(head, &split->since_read, 1);
	head = move_stamps(split, head, op);
	written = xt_predict_stamp(head, &split->since_written, 0);
	head_at = split->column[XT_COLUMN_HEAD].used;
	put(split, XT_COLUMN_HEAD, &written, 1);
	if (op == XT_OP_ALIGNED || op == XT_OP_FAILED)
		put(split, XT_COLUMN_HEAD, &function, 1);
	if (op != XT_OP_FREE) {
		if (!(head & XT_EV_SAME_STACK))
			move_stack(split);
		if (!(head & XT_EV_SAME_SIZE))
			move_size(split);
	}
	if (op != XT_OP_FAILED && split->change && split->change->drops_addresses)
		move_names(split, split->column[XT_COLUMN_HEAD].bytes + head_at, op);
	else if (op == XT_OP_FREE)
		move_free(split);
	else if (op != XT_OP_FAILED)
		move_addresses(split, split->column[XT_COLUMN_HEAD].bytes + head_at, op);
	split->low = 0;
	split->old_low = 0;
}

/* What stands before the next event. False: there is none in the chunk. */
static bool move_exts(struct column_split *split, uint8_t *head)
{
	struct xt_cursor *const heads = split->in[XT_COLUMN_HEAD];

	while (heads->at != heads->end && !heads->bad) {
		*head = xt_get_byte(heads);
		if ((*head & XT_OP_MASK) != XT_OP_EXT)
			return true;
		move_ext(split);
	}
	return false;
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
	if (!split->change)
		put_time(split, chunk->first_stamp);
}

/* Where the parts of the chunk's events stand. */
static bool set_in(struct column_split *split, const struct chunk *chunk)
{
	split->in_columns = chunk->is_columns;
	for (unsigned i = 0; i < XT_COLUMNS; i++)
		split->in[i] = &split->column_in[chunk->is_columns ? i : 0];
	split->column_in[0] = xt_cursor_init(chunk->bytes, chunk->size);
	xt_predict_reset(split->read);
	split->last_addr = 0;
	split->last_size = 0;
	column_stacks_begin_read(&split->stacks);
	split->since_read = 0;
	split->low = 0;
	split->old_low = 0;
	if (!chunk->is_columns)
		return true;
	return chunk_columns(chunk, split->column_in);
}

static bool is_sound(const struct column_split *split)
{
	for (unsigned i = 0; i < XT_COLUMNS; i++)
		if (split->in[i]->bad)
			return false;
	return true;
}

static void start(struct column_split *split, const struct chunk *chunk)
{
	const struct column_change *const change = split->change;

	xt_predict_reset(split->written);
	split->since_written = 0;
	memset(split->recent, 0, sizeof(*split->recent));
	split->base = chunk->base;
	split->next_name = xt_name(chunk->stream, chunk->base);
	split->last_freed = split->next_name;
	if (change && change->drops_stamps)
		split->last_stamp = change->stamp[0];
	else if (!change || chunk->first_stamp > split->last_stamp)
		split->last_stamp = chunk->first_stamp;
	split->first_stamp = split->last_stamp;
	split->thread = chunk->thread;
	split->tid = chunk->tid;
	split->start = (struct column_start){ chunk->thread, chunk->tid };
}

bool column_split_begin(struct column_split *split, const struct chunk *chunk,
			const struct column_change *change)
{
	split->change = change;
	split->before = split->events;
	if (!set_in(split, chunk))
		return false;
	if (split->used)
		put_joint(split, chunk);
	else
		start(split, chunk);
	split->stamp_read = chunk->first_stamp;
	return true;
}

bool column_split_move(struct column_split *split, const struct column_change *change)
{
	uint8_t head;

	split->change = change;
	if (!move_exts(split, &head) || (head & XT_OP_MASK) != change->op)
		return false;
	move_event(split, head);
	return is_sound(split);
}

bool column_split_is_done(const struct column_split *split, const struct chunk *chunk)
{
	return split->events - split->before == chunk->events;
}

bool column_split_end(struct column_split *split, const struct chunk *chunk,
		      const struct column_change *change)
{
	uint8_t head;

	split->change = change;
	if (move_exts(split, &head))
		return false;
	if (change && !change->drops_stamps && split->stamp_read > split->last_stamp)
		put_time(split, split->stamp_read);
	return is_sound(split) && column_split_is_done(split, chunk);
}

bool column_split_add(struct column_split *split, const struct chunk *chunk)
{
	uint8_t head;

	if (!column_split_begin(split, chunk, NULL))
		return false;
	while (is_sound(split) && move_exts(split, &head))
		move_event(split, head);
	return column_split_end(split, chunk, NULL);
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
				  .raw_bytes = size };
	column_stacks_begin_write(&split->stacks);
	split->used = 0;
	split->events = 0;
	return payload;
}
