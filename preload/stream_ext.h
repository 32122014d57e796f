/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between events: an EXT each. All write at `at`, where there is room, and return the
 * place behind it. */
#ifndef XALLOC_STREAM_EXT_H
#define XALLOC_STREAM_EXT_H

#include <stdint.h>
#include <string.h>

#include "preload/stream.h"
#include "preload/trace/codec.h"
#include "preload/trace/format.h"

static inline uint8_t *stream_ext_put(uint8_t *at, enum xt_ext subtype, const uint64_t *value,
				      unsigned values)
{
	uint8_t *length;
	unsigned i;

	*at++ = XT_OP_EXT;
	*at++ = (uint8_t)subtype;
	length = at++;
	for (i = 0; i < values; i++)
		at = xt_put_varint(at, value[i]);
	*length = (uint8_t)(at - length - 1);
	return at;
}

/* The event's text behind an ext's other values, which begin at length + 1 and end at `at`. */
static inline uint8_t *stream_ext_text(uint8_t *at, uint8_t *length, const struct stream_event *e)
{
	memcpy(at, e->text, e->text_bytes);
	at += e->text_bytes;
	*length = (uint8_t)(at - length - 1);
	return at;
}

/* What happened in a pool, before the event that stands for it. */
static inline uint8_t *stream_ext_pool(uint8_t *at, const struct stream_event *e)
{
	const uint64_t value[3] = { e->pool_what, e->pool_addr, e->pool_old };
	uint8_t *const length = at + 2;

	return stream_ext_text(stream_ext_put(at, XT_EXT_POOL, value, 3), length, e);
}

#endif
