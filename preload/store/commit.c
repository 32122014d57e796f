/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/commit.h"

#include <string.h>

#include "preload/store/compress.h"
#include "preload/store/file.h"
#include "preload/sys/signals.h"

static _Atomic uint64_t chunks, events;

struct job {
	const struct slot *slot;
	struct compress_context *context;
	int result;
};

void commit_init(void)
{
	chunks = 0;
	events = 0;
}

static void commit_job(void *arg)
{
	struct job *job = arg;
	const struct slot *s = job->slot;
	const struct xt_slot *head = s->head;
	struct xt_meta meta = {
		.kind = head->kind,
		.stream = head->stream,
		.seq = head->seq,
		.base = head->base,
		.first_stamp = head->first_stamp,
		.last_stamp = s->last_stamp,
		.events = s->events,
		.thread = head->thread,
		.tid = head->tid,
		.needs_ids = s->needs_ids,
		.raw_bytes = head->used,
	};
	struct file_space space;
	const uint8_t *frame = NULL;
	size_t size = 0;

	if (job->context)
		size = compress_frame(job->context, s->data, meta.raw_bytes, &frame);
	meta.zstd_bytes = (uint32_t)(size ? size : meta.raw_bytes + COMPRESS_RAW_OVERHEAD);
	job->result = file_reserve(sizeof(meta) + meta.zstd_bytes, &space);
	if (job->result < 0)
		return;
	memcpy(space.at, &meta, sizeof(meta));
	if (size)
		memcpy(space.at + sizeof(meta), frame, size);
	else
		compress_raw_frame(space.at + sizeof(meta), s->data, meta.raw_bytes);
	file_publish(&space, sizeof(meta));
	if (!size)
		__atomic_fetch_add(&file_header->events_raw_chunks, 1, __ATOMIC_RELAXED);
	atomic_fetch_add_explicit(&chunks, 1, memory_order_relaxed);
	if (meta.kind == XT_KIND_EVENTS)
		atomic_fetch_add_explicit(&events, meta.events, memory_order_relaxed);
}

int commit_slot(const struct slot *s)
{
	struct job job = { s, NULL, 0 };
	uint64_t mask;

	if (s->head->used == 0)
		return 0;
	mask = signals_block();
	job.context = compress_take();
	if (job.context) {
		compress_on_stack(job.context, commit_job, &job);
		compress_put(job.context);
	} else {
		commit_job(&job);
	}
	signals_restore(mask);
	return job.result;
}

int commit_totals(uint64_t ids)
{
	struct xt_totals totals = { chunks, events, ids, 0 };
	uint32_t head[2] = { XT_FRAME_TOTALS, sizeof(totals) };
	struct file_space space;
	uint64_t mask = signals_block();
	int result = file_reserve(sizeof(head) + sizeof(totals), &space);

	if (result == 0) {
		memcpy(space.at, head, sizeof(head));
		memcpy(space.at + sizeof(head), &totals, sizeof(totals));
		file_publish(&space, 0); /* an empty free frame, and the totals behind it */
	}
	signals_restore(mask);
	return result;
}
