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
#define SHORT_NEAR_END (1u << 14) /* ids, and distances of 128 KB: the same */

#define SHORT_NAME_BYTES_MAX 64u

/* xt_put_varint of a value below SHORT_VARINT_END, without a branch: at[0] to at[3] are stored, of
 * which the last ones may be nothing. Returns how many are something. */
SHORT_INLINE uint64_t short_varint(uint8_t *at, uint32_t value)
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
	return more + 1;
}

/* The same of a value below SHORT_NEAR_END: at[0] and at[1] are stored. */
SHORT_INLINE uint64_t short_varint_2(uint8_t *at, uint32_t value)
{
	const uint32_t more = value >= 1u << 7;
	const uint16_t bytes = (uint16_t)((value + (value & ~0x7Fu)) | more << 7);

	__builtin_memcpy(at, &bytes, sizeof(bytes));
	return 1 + more;
}

/* Of a distance below SHORT_VARINT_END. Whether it is near is the one thing about its length that
 * is guessed right: a program's heap is small, or is not. */
SHORT_INLINE uint64_t short_put_distance(uint8_t *at, uint64_t distance)
{
	return __builtin_expect(distance < SHORT_NEAR_END, 1)
		       ? short_varint_2(at, (uint32_t)distance)
		       : short_varint(at, (uint32_t)distance);
}

/* What xt_put_addr writes of addr. */
SHORT_INLINE uint64_t short_distance(const struct stream *s, uint64_t addr)
{
	return xt_zigzag((int64_t)((addr >> 4) - (s->last_addr >> 4)));
}

/* The flag and what xt_put_varint makes of a size below SHORT_SIZE_END, which is not the last one,
 * in one store. Returns how many bytes are something. */
SHORT_INLINE uint64_t short_head_and_size(uint8_t *head, uint32_t flags, uint32_t size)
{
	const uint32_t more = size >= 1u << 7;
	const uint32_t value = flags | (size + (size & ~0x7Fu)) << 8 | more << 15;

	__builtin_memcpy(head, &value, sizeof(value));
	return 2 + more;
}

/* A stamp that is due, put behind the header. Returns how many bytes; 0: the clock stepped back, or
 * a pair of readings is due. Most differences have the same length: the loop is guessed right. */
SHORT_INLINE uint64_t short_stamp(struct stream *s, uint8_t *at, uint64_t stamp)
{
	const uint64_t delta = stamp - s->last_stamp;

	if (__builtin_expect(stamp < s->last_stamp || stamp > life_next_pair, 0))
		return 0;
	s->last_stamp = stamp;
	if (__libc_single_threaded) /* else each event has one */
		stream_stamped(s);
	return (uint64_t)(xt_put_varint(at, delta) - at);
}

/* The event of so many bytes at stream_at, when s->counted was `counted`, becomes known to readers.
 */
SHORT_INLINE void short_publish(struct stream *s, uint64_t counted, uint64_t bytes)
{
	counted += bytes + (1ull << 32);
	s->counted = counted;
	__atomic_store_n(s->counts, counted, __ATOMIC_RELEASE);
}

/* And its stamp. */
SHORT_INLINE void short_publish_stamped(struct stream *s, uint64_t counted, uint64_t bytes)
{
	short_publish(s, counted, bytes);
	s->shown_stamp = s->last_stamp;
}

/*
 * A block of `size` bytes at addr, which op gave (stream_write_alloc), with its stamp if one was
 * due, else 0. 0: not written. Else the caller looks for stream_is_between.
 */
SHORT_INLINE int stream_short_alloc(struct stream *s, enum xt_op op, uint64_t size, uint64_t addr,
				    const uint64_t *fp, uint64_t stamp)
{
	const uint64_t counted = s->counted, distance = short_distance(s, addr);
	uint8_t *const head = s->data + (uint32_t)counted;
	uint32_t flags = (uint32_t)op | XT_EV_SAME_STACK;
	uint64_t bytes = 1;

	if (__builtin_expect(head >= s->plain_until || (addr & 15) || size >= SHORT_SIZE_END ||
				     distance >= SHORT_VARINT_END,
			     0))
		return 0;
	if (__builtin_expect(!SHORT_IS_UNCHANGED(s, fp), 0))
		return 0;
	if (stamp) {
		bytes = short_stamp(s, head + 1, stamp);
		if (__builtin_expect(!bytes, 0))
			return 0;
		bytes++;
		flags |= XT_EV_STAMP;
		if (size == s->last_size) {
			flags |= XT_EV_SAME_SIZE;
		} else {
			bytes += short_varint(head + bytes, (uint32_t)size);
			s->last_size = size;
		}
		*head = (uint8_t)flags;
		bytes += short_put_distance(head + bytes, distance);
		s->last_addr = addr;
		short_publish_stamped(s, counted, bytes);
		return 1;
	}
	if (size == s->last_size) {
		*head = (uint8_t)(flags | XT_EV_SAME_SIZE);
	} else {
		bytes = short_head_and_size(head, flags, (uint32_t)size);
		s->last_size = size;
	}
	bytes += short_put_distance(head + bytes, distance);
	s->last_addr = addr;
	short_publish(s, counted, bytes);
	return 1;
}

/* A block that was freed, with its stamp if one was due. As above. */
SHORT_INLINE int stream_short_free(struct stream *s, uint64_t addr, uint64_t stamp)
{
	const uint64_t counted = s->counted;
	uint8_t *const head = s->data + (uint32_t)counted;
	uint64_t distance, bytes;

	if (__builtin_expect(head >= s->plain_free_until || (addr & 15), 0))
		return 0;
	if (!stamp && addr == s->last_addr) { /* as many are: the block that was allocated last */
		head[0] = XT_OP_FREE;
		head[1] = 0;
		short_publish(s, counted, 2);
		return 1;
	}
	distance = short_distance(s, addr);
	if (__builtin_expect(distance >= SHORT_VARINT_END, 0))
		return 0;
	if (!stamp) {
		*head = XT_OP_FREE;
		bytes = short_put_distance(head + 1, distance);
		s->last_addr = addr;
		short_publish(s, counted, 1 + bytes);
		return 1;
	}
	bytes = short_stamp(s, head + 1, stamp);
	if (__builtin_expect(!bytes, 0))
		return 0;
	*head = XT_OP_FREE | XT_EV_STAMP;
	bytes += short_put_distance(head + 1 + bytes, distance);
	s->last_addr = addr;
	short_publish_stamped(s, counted, 1 + bytes);
	return 1;
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
	uint8_t *length, *at = stream_at(s);
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
	stream_publish(s, at, 0);
	return !stream_is_between(s) || !stream_came_between(s);
}

#endif
