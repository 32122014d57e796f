/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/columns.h"

#include <string.h>

#include "preload/store/stacks.h"
#include "preload/trace/codec.h"
#include "preload/trace/predict.h"

#define ESCAPE 15u /* in a stack byte: a varint with the number follows */

/*
 * No column can become larger than the rows, but for two: a varint is at most as long as it was,
 * and a stack's number at most as long as its row. The address of a block that goes has a bit more
 * and may take a byte more; one that came may be far from what it is told by. Such an event takes
 * two bytes or more. So nothing here looks for room.
 */
#define COLUMN_BYTES (XT_SLOT_BYTES + 64u)
#define FREED_BYTES (XT_SLOT_BYTES + XT_SLOT_BYTES / 2 + 64u)
#define ADDR_BYTES (XT_SLOT_BYTES / 2 * 9u + 64u)

struct columns {
	struct xt_predict predict;
	struct xt_recent recent;
	struct stacks stacks;
	uint8_t column[(XT_COLUMNS - 3) * COLUMN_BYTES + 2 * FREED_BYTES + ADDR_BYTES];
	uint8_t out[sizeof(struct xt_columns) + XT_SLOT_BYTES + XT_SLOT_BYTES / 4];
};

/* The split in hand. */
struct split {
	struct columns *c;
	struct xt_cursor in;
	uint8_t *start[XT_COLUMNS], *at[XT_COLUMNS];
	uint64_t last_addr, last_size;
	uint32_t since; /* the last stamp */
	uint8_t low, old_low;
};

size_t columns_bytes(void)
{
	return sizeof(struct columns);
}

static inline int is_short(const struct split *s)
{
	return __builtin_expect(s->in.at < s->in.end && *s->in.at < 0x80, 1);
}

static inline void put_parted(struct split *s, enum xt_column first, enum xt_column rest,
			      uint64_t value)
{
	xt_put_parted(&s->at[first], &s->at[rest], value);
}

static inline uint64_t move_parted(struct split *s, enum xt_column first, enum xt_column rest)
{
	uint64_t value;

	if (is_short(s))
		return *s->at[first]++ = *s->in.at++;
	value = xt_get_varint(&s->in);
	put_parted(s, first, rest, value);
	return value;
}

/* Of the row, from the current stack to the next. */
static void read_stack(struct split *s)
{
	struct stacks *stacks = &s->c->stacks;
	const uint8_t head = xt_get_byte(&s->in);
	uint64_t pops = head >> 4, pushes = head & 0xF;

	if (pops == ESCAPE)
		pops = xt_get_varint(&s->in);
	if (pushes == ESCAPE)
		pushes = xt_get_varint(&s->in);
	if (stacks_pop(stacks, pops) < 0)
		s->in.bad = 1;
	for (; pushes && !s->in.bad; pushes--)
		if (stacks_push(stacks, xt_get_varint(&s->in)) < 0)
			s->in.bad = 1;
}

static void move_stack(struct split *s)
{
	const uint8_t *const from = s->in.at;
	uint32_t number;

	read_stack(s);
	number = stacks_call(&s->c->stacks);
	put_parted(s, XT_COLUMN_STACK, XT_COLUMN_STACK_REST, number);
	if (number)
		return;
	memcpy(s->at[XT_COLUMN_FRAME], from, (size_t)(s->in.at - from));
	s->at[XT_COLUMN_FRAME] += s->in.at - from;
}

/* Whatever is no event stands in its column as in the row: all that follow each other at once. */
static void move_exts(struct split *s)
{
	const uint8_t *const from = s->in.at;
	uint8_t **at = &s->at[XT_COLUMN_HEAD];

	while (s->in.at != s->in.end && (*s->in.at & XT_OP_MASK) == XT_OP_EXT) {
		uint8_t type;
		uint64_t length;

		s->in.at++;
		type = xt_get_byte(&s->in);
		length = is_short(s) ? *s->in.at++ : xt_get_varint(&s->in);
		if (s->in.bad || length > (uint64_t)(s->in.end - s->in.at)) {
			s->in.bad = 1;
			return;
		}
		if (type == XT_EXT_LOW && length >= 2) {
			s->low = s->in.at[0];
			s->old_low = s->in.at[1];
		} else if (type == XT_EXT_THREAD || type == XT_EXT_RESET) {
			s->last_addr = 0;
			s->last_size = 0;
			stacks_clear(&s->c->stacks);
		}
		s->in.at += length;
	}
	memcpy(*at, from, (size_t)(s->in.at - from));
	*at += s->in.at - from;
}

/* Of the row: the address, and how it is written there. */
static inline uint64_t get_addr(struct split *s, uint8_t low, uint64_t *delta)
{
	const uint64_t last = s->last_addr;

	*delta = xt_get_varint(&s->in);
	s->last_addr = (((last >> 4) + (uint64_t)xt_unzigzag(*delta)) << 4) | low;
	return s->last_addr;
}

/* The address of a block that goes; its age when that is known, else 0. */
static inline uint32_t put_freed(struct split *s, uint64_t addr, uint64_t delta, int is_odd)
{
	const uint32_t age = is_odd ? 0 : xt_recent_age(&s->c->recent, &s->c->predict, addr);

	put_parted(s, XT_COLUMN_FREED, XT_COLUMN_FREED_REST,
		   age ? (uint64_t)age << 1 : delta << 1 | 1);
	return age;
}

static inline void put_given(struct split *s, uint64_t addr)
{
	uint8_t **at = &s->at[XT_COLUMN_ADDR];

	*at = xt_put_addr(*at, addr, xt_predict_base(&s->c->predict, s->last_size));
}

static inline void move_event(struct split *s, uint8_t head)
{
	struct xt_predict *p = &s->c->predict;
	const unsigned op = head & XT_OP_MASK;
	const int is_odd = s->low | s->old_low;
	uint8_t *const head_at = s->at[XT_COLUMN_HEAD]++;
	uint64_t addr, delta, old = 0;
	uint32_t age = 0;

	*head_at = xt_predict_stamp(head, &s->since, 0);
	if (op == XT_OP_ALIGNED || op == XT_OP_FAILED)
		*s->at[XT_COLUMN_HEAD]++ = xt_get_byte(&s->in);
	if (head & XT_EV_STAMP) {
		move_parted(s, XT_COLUMN_STAMP, XT_COLUMN_STAMP_REST);
		if (op == XT_OP_REALLOC)
			move_parted(s, XT_COLUMN_STAMP, XT_COLUMN_STAMP_REST);
	}
	if (op == XT_OP_FREE) {
		addr = get_addr(s, s->low, &delta);
		age = put_freed(s, addr, delta, is_odd);
		if (age)
			xt_predict_release(p, age);
		return;
	}
	if (!(head & XT_EV_SAME_STACK))
		move_stack(s);
	if (!(head & XT_EV_SAME_SIZE))
		s->last_size = move_parted(s, XT_COLUMN_SIZE, XT_COLUMN_SIZE_REST);
	if (op == XT_OP_FAILED)
		return;
	if (op == XT_OP_REALLOC) {
		old = get_addr(s, s->old_low, &delta);
		age = put_freed(s, old, delta, is_odd);
	}
	addr = get_addr(s, s->low, &delta);
	if (is_odd) {
		put_given(s, addr);
		return;
	}
	if (addr == (op == XT_OP_REALLOC ? old : xt_predict_next(p, s->last_size)))
		*head_at |= XT_EV_PREDICTED;
	else
		put_given(s, addr);
	if (age && addr != old)
		xt_predict_release(p, age);
	if (addr == old)
		xt_predict_number(p, addr, s->last_size);
	else
		xt_predict_enter(p, addr, s->last_size);
	xt_recent_enter(&s->c->recent, p, addr);
}

static size_t join(const struct split *s, const uint8_t **out)
{
	struct columns *c = s->c;
	struct xt_columns head;
	size_t size = sizeof(head);
	unsigned i;

	for (i = 0; i < XT_COLUMNS; i++) {
		head.bytes[i] = (uint32_t)(s->at[i] - s->start[i]);
		if (head.bytes[i] > sizeof(c->out) - size)
			return 0;
		memcpy(c->out + size, s->start[i], head.bytes[i]);
		size += head.bytes[i];
	}
	memcpy(c->out, &head, sizeof(head));
	*out = c->out;
	return size;
}

static size_t room_of(unsigned column)
{
	if (column == XT_COLUMN_FREED || column == XT_COLUMN_FREED_REST)
		return FREED_BYTES;
	return column == XT_COLUMN_ADDR ? ADDR_BYTES : COLUMN_BYTES;
}

size_t columns_split(struct columns *c, const uint8_t *rows, size_t size, const uint8_t **out)
{
	struct split s = { .c = c, .in = xt_cursor_init(rows, size) };
	uint8_t *at = c->column;
	unsigned i;

	xt_predict_reset(&c->predict);
	memset(&c->recent, 0, sizeof(c->recent));
	stacks_reset(&c->stacks);
	for (i = 0; i < XT_COLUMNS; at += room_of(i++))
		s.start[i] = s.at[i] = at;
	while (s.in.at != s.in.end) {
		if ((*s.in.at & XT_OP_MASK) == XT_OP_EXT) {
			move_exts(&s);
		} else {
			move_event(&s, *s.in.at++);
			s.low = s.old_low = 0;
		}
		if (s.in.bad)
			return 0;
	}
	return join(&s, out);
}
