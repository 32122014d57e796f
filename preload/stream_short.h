/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short way of an event into its stream, which most take: the stack is the last one, the slot
 * has room, nothing is special about the block. It is a part of the hook, calls nothing and has no
 * loop whose length nobody can guess, for a wrong guess costs as much as all the rest. What is
 * not as usual is left to stream_write.c, as if nothing had been done.
 */
#ifndef XALLOC_STREAM_SHORT_H
#define XALLOC_STREAM_SHORT_H

#include <stdint.h>

#include "preload/clock.h"
#include "preload/life.h"
#include "preload/stream.h"
#include "preload/trace/codec.h"
#include "preload/trace/format.h"
#include "preload/unwind/kept.h"

#define SHORT_INLINE static inline __attribute__((always_inline))

/* Room for whatever a short event may take: header, stamp, a few ids, size, address. */
#define STREAM_SHORT_BYTES 128

#ifdef XALLOC_ORACLE /* looks at each walk */
#define SHORT_IS_UNCHANGED(s, fp) ((void)(fp), 0)
#else
#define SHORT_IS_UNCHANGED(s, fp) kept_is_unchanged((s)->unwind.kept, fp)
#endif

#define SHORT_VARINT_END (1u << 28)
#define SHORT_SIZE_END (1u << 14) /* two bytes at most */

#define SHORT_NAME_BYTES_MAX 64u

/* xt_put_varint of a value below SHORT_VARINT_END, without a branch. Stores four bytes, of which
 * the last ones may be nothing. */
SHORT_INLINE uint8_t *short_put_varint(uint8_t *at, uint32_t value)
{
	static const uint32_t more_bits[4] = { 0, 0x80, 0x8080, 0x808080 };
	uint64_t more = value >= 1u << 7;

	more += value >= 1u << 14;
	more += value >= 1u << 21;
	/* one bit more between each seven */
	value += value & ~0x7Fu;
	value += value & ~0x7FFFu;
	value += value & ~0x7FFFFFu;
	value |= more_bits[more];
	__builtin_memcpy(at, &value, sizeof(value));
	return at + more + 1;
}

/* What xt_put_addr writes of addr. */
SHORT_INLINE uint64_t short_distance(const struct stream *s, uint64_t addr)
{
	return xt_zigzag((int64_t)((addr >> 4) - (s->last_addr >> 4)));
}

/* A stamp that is due. NULL: the clock stepped back, or a pair of readings is due. */
SHORT_INLINE uint8_t *short_put_stamp(struct stream *s, uint8_t *at, uint64_t stamp)
{
	const uint64_t delta = stamp - s->last_stamp;

	if (__builtin_expect(stamp < s->last_stamp || stamp > life_next_pair, 0))
		return NULL;
	s->last_stamp = stamp;
	stream_stamped(s);
	return xt_put_varint(at, delta);
}

/* The event that ends at `at`, or what is none, becomes known to readers. 1 when that is all. */
SHORT_INLINE int short_publish(struct stream *s, uint8_t *at, uint32_t events)
{
	stream_publish(s, at, events);
	return __builtin_expect(s->between == 0, 1) || !stream_came_between(s);
}

/* A block of `size` bytes at addr, which op gave (stream_write_alloc). 0: not written. */
SHORT_INLINE int stream_short_alloc(struct stream *s, enum xt_op op, uint64_t size, uint64_t addr,
				    const uint64_t *fp)
{
	uint8_t *head = s->at, *at = head + 1, flags = (uint8_t)op | XT_EV_SAME_STACK;
	const uint64_t distance = short_distance(s, addr);
	uint64_t is_same_size;

	if (__builtin_expect(head >= s->plain_until || (addr & 15) || size >= SHORT_SIZE_END ||
				     distance >= SHORT_VARINT_END || !SHORT_IS_UNCHANGED(s, fp),
			     0))
		return 0;
	if (stream_needs_stamp(s, 0)) {
		at = short_put_stamp(s, at, stream_stamp(s));
		if (__builtin_expect(!at, 0)) {
			s->disturbed = STREAM_STAMP_EVERY; /* it is still due */
			return 0;
		}
		flags |= XT_EV_STAMP;
	}
	is_same_size = size == s->last_size;
	flags |= is_same_size ? XT_EV_SAME_SIZE : 0;
	at = is_same_size ? at : short_put_varint(at, (uint32_t)size);
	s->last_size = size;
	at = short_put_varint(at, (uint32_t)distance);
	s->last_addr = addr;
	*head = flags;
	return short_publish(s, at, 1);
}

/* A block that was freed, with its stamp if one was due. 0: not written. */
SHORT_INLINE int stream_short_free(struct stream *s, uint64_t addr, uint64_t stamp)
{
	uint8_t *head = s->at, *at = head + 1, flags = XT_OP_FREE;
	const uint64_t distance = short_distance(s, addr);

	if (__builtin_expect(
		    head >= s->plain_free_until || (addr & 15) || distance >= SHORT_VARINT_END, 0))
		return 0;
	if (stamp) {
		at = short_put_stamp(s, at, stamp);
		if (__builtin_expect(!at, 0))
			return 0;
		flags |= XT_EV_STAMP;
	}
	at = short_put_varint(at, (uint32_t)distance);
	s->last_addr = addr;
	*head = flags;
	return short_publish(s, at, 1);
}

SHORT_INLINE uint8_t *short_put_ext(uint8_t *at, enum xt_ext subtype)
{
	at[0] = XT_OP_EXT;
	at[1] = (uint8_t)subtype;
	return at + 2; /* where the number of bytes that follow is to be */
}

/* A mark, at its stamp; name may be NULL. 0: not written, as one whose name is long. */
SHORT_INLINE int stream_short_mark(struct stream *s, enum xt_mark what, const char *name,
				   uint64_t stamp)
{
	uint8_t *length, *at = s->at;
	unsigned i;

	if (__builtin_expect(at >= s->plain_free_until || stamp < s->last_stamp, 0))
		return 0;
	length = short_put_ext(at, XT_EXT_TIME);
	at = xt_put_varint(length + 1, stamp - s->last_stamp);
	*length = (uint8_t)(at - length - 1);
	length = short_put_ext(at, XT_EXT_MARK);
	at = length + 1;
	*at++ = (uint8_t)what;
	for (i = 0; name && name[i]; i++) {
		if (i == SHORT_NAME_BYTES_MAX)
			return 0;
		*at++ = (uint8_t)name[i];
	}
	*length = (uint8_t)(at - length - 1);
	s->last_stamp = stamp;
	return short_publish(s, at, 0);
}

#endif
