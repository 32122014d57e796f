/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec of the trace: bounded reading and plain writing of the primitives that events are made
 * of. Header only and freestanding.
 *
 * varint: LEB128, 7 bits a byte, least significant first, at most 10 bytes. zigzag: (n << 1) ^ (n
 * >> 63). An address travels as zigzag((addr >> 4) - (last >> 4)) where last is the last address
 * coded in the chunk; its low four bits are 0 unless XT_EXT_LOW came before.
 */
#ifndef XALLOC_TRACE_CODEC_H
#define XALLOC_TRACE_CODEC_H

#include <stdint.h>

/* A cursor over bytes that are not trusted: it never reads at or past end. After a read that did
 * not fit, or a varint that is too long, `bad` is 1, `at` no longer moves, `end` is where it is, and
 * every read gives 0.
 */
struct xt_cursor {
	const uint8_t *at, *end;
	int bad;
};

static inline struct xt_cursor xt_cursor_init(const void *bytes, uint64_t size)
{
	const uint8_t *at = (const uint8_t *)bytes;

	return (struct xt_cursor){ at, at + size, 0 };
}

static inline uint8_t xt_get_byte(struct xt_cursor *c)
{
	if (c->at == c->end) {
		c->bad = 1;
		return 0;
	}
	return *c->at++;
}

static inline uint64_t xt_get_varint_slow(struct xt_cursor *c)
{
	const uint8_t *at = c->at;
	uint64_t value = 0, last;
	unsigned shift = 0;

	/* Eight bytes at once, without a branch for each: last is the top bit of the last one. */
	if (c->end - at >= 8) {
		__builtin_memcpy(&value, at, sizeof(value));
		last = ~value & 0x8080808080808080u;
		last &= -last;
		if (last) {
			c->at += ((unsigned)__builtin_ctzll(last) + 1) / 8;
			value &= last - 1;
			value = (value & 0x7F007F007F007F00) >> 1 | (value & 0x007F007F007F007F);
			value = (value & 0x3FFF00003FFF0000) >> 2 | (value & 0x00003FFF00003FFF);
			return (value & 0x0FFFFFFF00000000) >> 4 | (value & 0x000000000FFFFFFF);
		}
		value = 0;
	}
	for (; at < c->end && shift < 64; shift += 7) {
		uint8_t byte = *at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80)) {
			c->at = at;
			return value;
		}
	}
	c->bad = 1;
	c->end = c->at;
	return 0;
}

static inline uint64_t xt_get_varint(struct xt_cursor *c)
{
	struct xt_cursor copy; /* so that *c can be in registers */
	uint64_t value;

	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	copy = *c;
	value = xt_get_varint_slow(&copy);
	*c = copy;
	return value;
}

/* The same for numbers of which some have one byte and some more, in no order: it takes no branch for
 * that, which the processor would guess wrong. */
static inline uint64_t xt_get_varint_mixed(struct xt_cursor *c)
{
	struct xt_cursor copy = *c;
	const uint64_t value = xt_get_varint_slow(&copy);

	*c = copy;
	return value;
}

/* Writing is unchecked: the caller has made room, 10 bytes for a varint. Returns the place after
 * it. */
static inline uint8_t *xt_put_varint(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)value | 0x80;
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* A varint of which only the first byte stands at *first, the others at *rest. */
static inline void xt_put_parted(uint8_t **first, uint8_t **rest, uint64_t value)
{
	if (value < 0x80) {
		*(*first)++ = (uint8_t)value;
		return;
	}
	*(*first)++ = (uint8_t)value | 0x80;
	*rest = xt_put_varint(*rest, value >> 7);
}

static inline uint64_t xt_get_parted(struct xt_cursor *first, struct xt_cursor *rest)
{
	const uint8_t byte = xt_get_byte(first);
	uint64_t more;

	if (byte < 0x80)
		return byte;
	more = xt_get_varint(rest);
	if (more >> 57)
		rest->bad = 1;
	return more << 7 | (byte & 0x7F);
}

static inline uint64_t xt_zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t xt_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static inline uint8_t *xt_put_addr(uint8_t *at, uint64_t addr, uint64_t last)
{
	return xt_put_varint(at, xt_zigzag((int64_t)((addr >> 4) - (last >> 4))));
}

/* The address with its low four bits 0. */
static inline uint64_t xt_get_addr(struct xt_cursor *c, uint64_t last)
{
	return ((last >> 4) + (uint64_t)xt_unzigzag(xt_get_varint(c))) << 4;
}

/* The change of a stack: ids with the outermost first. */
static inline uint8_t *xt_put_stack(uint8_t *at, uint32_t pops, uint32_t pushes,
				    const uint32_t *ids)
{
	*at++ = (uint8_t)((pops < 15 ? pops : 15) << 4 | (pushes < 15 ? pushes : 15));
	if (pops >= 15)
		at = xt_put_varint(at, pops);
	if (pushes >= 15)
		at = xt_put_varint(at, pushes);
	for (; pushes; pushes--)
		at = xt_put_varint(at, *ids++);
	return at;
}

#endif
