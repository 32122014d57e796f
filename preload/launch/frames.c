/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/frames.h"

#include <unistd.h>

bool frames_read(int fd, void *to, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

uint64_t frames_read_window(int fd, union frames_window *page, uint64_t offset)
{
	uint64_t bytes;

	if (!frames_read(fd, page, sizeof(*page), offset) ||
	    page->at.head.magic != XT_FRAME_WINDOW || page->at.window.slots > XT_WINDOW_SLOTS_MAX)
		return 0;
	bytes = sizeof(*page) + (uint64_t)page->at.window.slots * XT_SLOT_BYTES;
	return bytes == page->at.head.size + sizeof(struct frame_head) ? offset + bytes : 0;
}

bool frames_slot_is_used(const struct xt_slot *slot)
{
	return slot->kind == XT_KIND_IDS ||
	       (slot->kind != XT_KIND_FREE && slot->kind != XT_KIND_TAKEN && slot->used);
}

/* offset: where the payload begins */
static void each_slot(int fd, const struct frames_visitor *v, uint64_t offset, uint32_t frame_bytes)
{
	const uint64_t data = offset - XT_FRAME_HEAD_BYTES + XT_PAGE_BYTES;
	struct xt_window window;
	struct xt_slot slot;

	if (!frames_read(fd, &window, sizeof(window), offset))
		return;
	if (window.slots > XT_WINDOW_SLOTS_MAX || frame_bytes < XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES)
		return;
	offset += sizeof(window);
	for (uint32_t i = 0; i < window.slots; i++, offset += sizeof(slot)) {
		if (!frames_read(fd, &slot, sizeof(slot), offset))
			return;
		v->slot(v->arg, &slot, offset, data + (uint64_t)i * XT_SLOT_BYTES);
	}
}

void frames_each(int fd, const struct frames_visitor *v)
{
	uint64_t offset = 0;
	struct frame_head head;
	struct xt_meta meta;

	while (frames_read(fd, &head, sizeof(head), offset) &&
	       (head.magic & 0xFFFFFFF0u) == (XT_FRAME_HEADER & 0xFFFFFFF0u)) {
		offset += sizeof(head);
		if (head.magic == XT_FRAME_WINDOW)
			each_slot(fd, v, offset, head.size);
		if (head.magic == XT_FRAME_CHUNK && head.size == sizeof(meta)) {
			if (!frames_read(fd, &meta, sizeof(meta), offset))
				break;
			v->chunk(v->arg, &meta, offset + sizeof(meta));
			offset += meta.zstd_bytes;
		}
		offset += head.size;
	}
}
