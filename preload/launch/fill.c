/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/launch/copy.h"
#include "preload/launch/frames.h"
#include "preload/launch/message.h"
#include "preload/trace/format.h"

#define BYTES_MAX (64u << 20) /* of a larger one the window is less than a hundredth */
#define REST_BYTES 128u       /* of a free frame's payload, at least: 64 would be a chunk's */
#define MOVED_BYTES_MIN 1024u /* with fewer the totals and what is left would not fit there */

/* A frame, or a chunk's two. */
struct part {
	uint64_t offset, bytes;
};

/* The chunks behind the window, and the totals behind them. */
struct parts {
	struct part *part;
	size_t count, room;
	struct part totals;
};

static bool add_part(struct parts *parts, uint64_t offset, uint64_t bytes)
{
	if (parts->count == parts->room) {
		const size_t room = parts->room * 2 + 64;
		struct part *more = realloc(parts->part, room * sizeof(*more));

		if (!more)
			return false;
		parts->part = more;
		parts->room = room;
	}
	parts->part[parts->count++] = (struct part){ offset, bytes };
	return true;
}

/* False: the file does not consist of these, and free space. */
static bool find_parts(int fd, uint64_t offset, uint64_t end, struct parts *parts)
{
	struct frame_head head;
	struct xt_meta meta;

	while (offset < end && frames_read(fd, &head, sizeof(head), offset)) {
		uint64_t bytes = sizeof(head) + head.size;

		if (head.magic == XT_FRAME_CHUNK && head.size == sizeof(meta)) {
			if (!frames_read(fd, &meta, sizeof(meta), offset + sizeof(head)))
				return false;
			bytes += meta.zstd_bytes;
			if (parts->totals.bytes || !add_part(parts, offset, bytes))
				return false;
		} else if (head.magic == XT_FRAME_TOTALS) {
			parts->totals = (struct part){ offset, bytes };
		} else if (head.magic != XT_FRAME_CHUNK) {
			return false;
		}
		offset += bytes;
	}
	return offset == end && parts->totals.bytes;
}

/* From which part on all fit into so many bytes, with a free frame behind them. */
static size_t choose(const struct parts *parts, uint64_t bytes)
{
	size_t first = parts->count;
	uint64_t needed = sizeof(struct frame_head) + REST_BYTES;

	while (first && needed + parts->part[first - 1].bytes <= bytes)
		needed += parts->part[--first].bytes;
	/* all of them: behind them the totals, too */
	return !first && needed + parts->totals.bytes > bytes ? 1 : first;
}

/* The frame at `at` is a free one that ends at `end`. */
static bool put_head(int fd, uint64_t at, uint64_t end)
{
	const struct frame_head head = { XT_FRAME_CHUNK, (uint32_t)(end - at - sizeof(head)) };

	return pwrite(fd, &head, sizeof(head), (off_t)at) == (ssize_t)sizeof(head);
}

/*
 * Free space from `at` to `end`, which no reader looks into, comes to hold parts, one behind the
 * other: first they, and a free frame behind them, then one write shows all of it. Returns where
 * that free frame begins; 0: it could not be.
 */
static uint64_t publish(int fd, uint64_t at, uint64_t end, const struct part *part, size_t count)
{
	uint64_t to = at + sizeof(struct frame_head);

	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)to,
		      (off_t)(end - to)) < 0)
		return 0;
	while (count) {
		const uint64_t from = part->offset;
		uint64_t bytes = 0;

		for (; count && part->offset == from + bytes; part++, count--)
			bytes += part->bytes;
		if (copy_all(fd, (off_t)to, fd, (off_t)from, (off_t)(from + bytes)) < 0)
			return 0;
		to += bytes;
	}
	return put_head(fd, to, end) && put_head(fd, at, at + sizeof(struct frame_head)) ? to : 0;
}

/* The window becomes free space, and holds the parts from `first` on. Where that is not all of them
 * their old places become free space, up to the totals, which come to its start. Returns where the
 * file is to end. */
static uint64_t move(int fd, struct parts *parts, size_t first, uint64_t at, uint64_t end)
{
	const uint64_t from = parts->part[first].offset;

	if (!put_head(fd, at, end))
		return 0;
	if (!first)
		return add_part(parts, parts->totals.offset, parts->totals.bytes)
			       ? publish(fd, at, end, parts->part, parts->count)
			       : 0;
	if (!publish(fd, at, end, parts->part + first, parts->count - first) ||
	    !put_head(fd, from, parts->totals.offset))
		return 0;
	return publish(fd, from, parts->totals.offset, &parts->totals, 1);
}

/* The end of a window at `at` in which nothing is; 0: there is none. */
static uint64_t find_window(int fd, uint64_t at)
{
	union frames_window page;
	const uint64_t end = frames_read_window(fd, &page, at);

	for (uint32_t i = 0; end && i < page.at.window.slots; i++)
		if (frames_slot_is_used(&page.at.window.slot[i]))
			return 0;
	return end;
}

void fill_window(int fd)
{
	const uint64_t at = XT_PAGE_BYTES;
	struct parts parts = { .part = NULL };
	uint64_t end;
	struct stat st;
	size_t first;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > BYTES_MAX)
		return;
	end = find_window(fd, at);
	if (end && find_parts(fd, end, (uint64_t)st.st_size, &parts)) {
		first = choose(&parts, end - at - sizeof(struct frame_head));
		if (first < parts.count &&
		    parts.totals.offset - parts.part[first].offset >= MOVED_BYTES_MIN) {
			end = move(fd, &parts, first, at, end);
			if (end && ftruncate(fd, (off_t)end) < 0)
				message("a trace could not be cut: %s", strerror(errno));
		}
	}
	free(parts.part);
}
