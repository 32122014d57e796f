/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/count.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/launch/message.h"
#include "preload/trace/format.h"

#define STREAMS_MAX (1u << 20) /* of a file that is none of ours, more may be named */

struct count {
	int fd;
	uint64_t *
		stream; /* events of each: its last chunk's base and events, in file order or not */
	uint32_t streams;
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* A chunk stands twice when it was committed just before a kill: a sum would count it twice. */
static void add(struct count *count, uint32_t stream, uint64_t base, uint32_t events)
{
	if (stream >= STREAMS_MAX)
		return;
	if (stream >= count->streams) {
		const uint32_t wanted = 2 * stream + 16;
		uint64_t *more = memory_new(wanted, sizeof(*more));

		for (uint32_t i = 0; i < count->streams; i++)
			more[i] = count->stream[i];
		free(count->stream);
		count->stream = more;
		count->streams = wanted;
	}
	if (base + events > count->stream[stream])
		count->stream[stream] = base + events;
}

static void add_window(struct count *count, uint64_t offset, uint32_t frame_bytes)
{
	struct xt_window window;
	struct xt_slot slot;

	if (!read_at(count->fd, &window, sizeof(window), offset))
		return;
	if (window.slots > XT_WINDOW_SLOTS_MAX || frame_bytes < XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES)
		return;
	for (uint32_t i = 0; i < window.slots; i++) {
		offset += i ? sizeof(slot) : sizeof(window);
		if (!read_at(count->fd, &slot, sizeof(slot), offset))
			return;
		if (slot.kind == XT_KIND_EVENTS && slot.used)
			add(count, slot.stream, slot.base, slot.events);
	}
}

uint64_t count_events(int fd)
{
	struct count count = { .fd = fd };
	uint64_t offset = 0, events = 0;
	struct {
		uint32_t magic, size;
	} head;
	struct xt_meta meta;

	while (read_at(fd, &head, sizeof(head), offset) &&
	       (head.magic & 0xFFFFFFF0u) == (XT_FRAME_HEADER & 0xFFFFFFF0u)) {
		offset += sizeof(head);
		if (head.magic == XT_FRAME_WINDOW)
			add_window(&count, offset, head.size);
		if (head.magic == XT_FRAME_CHUNK && head.size == sizeof(meta)) {
			if (!read_at(fd, &meta, sizeof(meta), offset))
				break;
			if (meta.kind == XT_KIND_EVENTS)
				add(&count, meta.stream, meta.base, meta.events);
			offset += meta.zstd_bytes;
		}
		offset += head.size;
	}
	for (uint32_t i = 0; i < count.streams; i++)
		events += count.stream[i];
	free(count.stream);
	return events;
}
