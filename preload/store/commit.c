/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/commit.h"

#include <string.h>

#include "preload/store/compress.h"
#include "preload/store/file.h"
#include "preload/trace/sealed.h"

int commit_slot(const struct slot *s, int may_compress)
{
	const struct xt_slot *head = s->head;
	struct xt_meta meta = {
		.kind = head->kind,
		.stream = head->stream,
		.seq = head->seq,
		.base = head->base,
		.first_stamp = head->first_stamp,
		.last_stamp = slot_own(s)->last_stamp,
		.events = head->events,
		.thread = head->thread,
		.tid = head->tid,
		.raw_bytes = head->used,
	};
	struct compress_context *context;
	struct file_space space;
	const uint8_t *frame = NULL;
	size_t size = 0;
	int result;

	if (meta.raw_bytes == 0)
		return 0;
	context = may_compress ? compress_take() : NULL;
	if (context)
		size = compress_frame(context, s->data, head->used, &meta.kind, &meta.raw_bytes,
				      &frame);
	if (!size) {
		meta.kind = head->kind;
		meta.raw_bytes = head->used;
	}
	meta.zstd_bytes = (uint32_t)(size ? size : meta.raw_bytes + COMPRESS_RAW_OVERHEAD);
	meta.check = xt_meta_check(&meta);
	result = file_reserve(sizeof(meta) + meta.zstd_bytes, &space);
	if (result < 0)
		goto out;
	memcpy(space.at, &meta, sizeof(meta));
	if (size)
		memcpy(space.at + sizeof(meta), frame, size);
	else
		compress_raw_frame(space.at + sizeof(meta), s->data, meta.raw_bytes);
	file_publish(&space, sizeof(meta));
	if (!size)
		__atomic_fetch_add(&file_header->raw_chunks, 1, __ATOMIC_RELAXED);
	atomic_fetch_add_explicit(&file_shared->chunks, 1, memory_order_relaxed);
	if (head->kind == XT_KIND_EVENTS)
		atomic_fetch_add_explicit(&file_shared->events, meta.events, memory_order_relaxed);
out:
	if (context)
		compress_put(context);
	return result;
}

int commit_totals(uint64_t ids)
{
	struct xt_totals totals = { file_shared->chunks, file_shared->events, ids, 0 };
	uint32_t head[2] = { XT_FRAME_TOTALS, sizeof(totals) };
	struct file_space space;
	int result = file_reserve(sizeof(head) + sizeof(totals), &space);

	if (result == 0) {
		memcpy(space.at, head, sizeof(head));
		memcpy(space.at + sizeof(head), &totals, sizeof(totals));
		file_publish(&space, 0); /* an empty free frame, and the totals behind it */
	}
	return result;
}
