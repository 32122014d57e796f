/* SPDX-License-Identifier: Apache-2.0 */
/* What a program tells us through xalloc.h. The numbers are that header's, and enum xt_mark's and
 * xt_pool's. */
#include "preload/hook_list.h"
#include "preload/hooks.h"
#include "preload/life.h"

#define CHARACTER_BYTES_MAX 4 /* of UTF-8 */

static int is_inside_character(char c)
{
	return (c & 0xC0) == 0x80;
}

/* A name that is cut ends with a whole character. */
static uint32_t name_bytes(const char *name)
{
	uint32_t bytes = 0;

	while (bytes < XT_TEXT_MAX && name[bytes])
		bytes++;
	if (bytes == XT_TEXT_MAX && is_inside_character(name[bytes])) {
		uint32_t whole = bytes;

		while (whole && is_inside_character(name[whole]))
			whole--;
		if (bytes - whole < CHARACTER_BYTES_MAX)
			bytes = whole;
	}
	return bytes;
}

#define DECLARE(name, result, parameters) result name parameters;
XALLOC_OWN_CALLS(DECLARE)

static __attribute__((noinline)) void write_at(struct stream *s, const uint64_t *fp, unsigned what,
					       const char *name, uint64_t stamp)
{
	const struct stream_event e = { .op = XT_OP_EXT,
					.fn = (uint8_t)what,
					.text = name,
					.text_bytes = name ? name_bytes(name) : 0,
					.stamp0 = stamp };

	stream_write(s, &e, fp);
}

static int write_mark(const uint64_t *fp, unsigned what, const char *name)
{
	struct stream *const before = tls_is_ready() ? tls.stream : NULL;
	struct guard g;
	uint64_t stamp;

	if (!guard_enter_beside(&g, fp))
		return 0;
	stamp = stream_stamp(g.stream);
	stream_writes(g.stream);
	write_at(g.stream, fp, what, name, stamp);
	guard_leave_beside(&g, before);
	return 1;
}

/* 0: something is not as usual, which write_mark sees to. */
static int write_plain_mark(const uint64_t *fp, unsigned what, const char *name)
{
	struct stream *const s = guard_enter_plain(fp);
	uint64_t stamp;

	if (__builtin_expect(!s, 0))
		return 0;
	stamp = __libc_single_threaded ? clock_stamp_alone() : clock_stamp();
	stream_writes(s);
	if (__builtin_expect(!stream_short_mark(s, what, name, stamp), 0))
		write_at(s, fp, what, name, stamp);
	stream_leave(s);
	return 1;
}

HOOK int xalloc_preload_mark(unsigned what, const char *name)
{
	const int is_plain =
		what == XT_MARK_PHASE || what == XT_MARK_ITERATION || what == XT_MARK_DUMP;

	if (is_plain && write_plain_mark(HOOK_FRAME, what, name))
		return 1;
	if (!life_is_recording() && (!tls_is_ready() || !life_begin()))
		return 0;
	if (what == XT_MARK_PAUSE || what == XT_MARK_RESUME) {
		if (!life_pause(what == XT_MARK_PAUSE))
			return 1;
	} else if (!is_plain) { /* is it recorded? */
		return 1;
	}
	return write_mark(HOOK_FRAME, what, name);
}

HOOK void xalloc_preload_pool(unsigned what, const char *pool, const void *old, const void *p,
			      size_t size)
{
	struct stream_event e = { .op = XT_OP_FAILED,
				  .fn = XT_FN_MALLOC,
				  .size = size,
				  .pool_what = (uint8_t)what,
				  .pool_addr = (uint64_t)(uintptr_t)p,
				  .pool_old = (uint64_t)(uintptr_t)old };
	struct stream *const before = tls_is_ready() ? tls.stream : NULL;
	struct guard g;

	if (!p || what < XT_POOL_ALLOC || what > XT_POOL_FREE)
		return;
	if (!guard_enter_beside(&g, HOOK_FRAME))
		return;
	e.text = pool && *pool ? pool : "pool";
	e.text_bytes = name_bytes(e.text);
	if (stream_needs_stamp(g.stream, size))
		e.stamp0 = stream_stamp(g.stream);
	stream_writes(g.stream);
	stream_write(g.stream, &e, HOOK_FRAME);
	guard_leave_beside(&g, before);
}
