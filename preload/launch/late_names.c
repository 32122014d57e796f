/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/late_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "preload/launch/frames.h"
#include "preload/launch/message.h"
#include "preload/sys/perf_names.h"

#define IDS_MAX 65536u
#define PLACES_MAX 64u /* slots: 4 MiB of records */

struct late {
	int fd;
	struct perf_names names;
	uint64_t next_seq; /* of chunks of records */
	struct place {
		uint64_t head_at, data_at;
		struct xt_slot slot; /* of records with room behind `used`, or free */
	} place[PLACES_MAX];
	unsigned places;
	ZSTD_DCtx *zstd; /* in memory of ours: the library's own zstd has no malloc */
	void *work;
	uint8_t bytes[XT_SLOT_BYTES]; /* of the chunk that is read, or written */
	uint8_t packed[XT_SLOT_BYTES + XT_PAGE_BYTES];
};

static void add_ids(struct late *l, uint64_t base, size_t bytes)
{
	struct xt_id id;

	for (size_t at = 0; at + sizeof(id) <= bytes; at += sizeof(id), base++) {
		memcpy(&id, l->bytes + at, sizeof(id));
		if (!(id.flags & XT_IDF_READY) || !(id.flags & XT_IDF_NO_MODULE) ||
		    l->names.count == IDS_MAX || base >= XT_IDS_MAX)
			continue;
		l->names.name[l->names.count++] =
			(struct perf_name){ .address = id.pc - !(id.flags & XT_IDF_EXACT),
					    .id = (uint32_t)base };
	}
}

static void see_records(struct late *l, uint64_t seq)
{
	if (seq >= l->next_seq)
		l->next_seq = seq + 1;
}

static void see_chunk(void *arg, const struct xt_meta *meta, uint64_t zstd_at)
{
	struct late *l = arg;
	size_t bytes;

	if (meta->kind == XT_KIND_RECORDS && meta->stream < XT_STREAM_OUTSIDE)
		see_records(l, meta->seq);
	if (meta->kind != XT_KIND_IDS || meta->zstd_bytes > sizeof(l->packed) ||
	    !frames_read(l->fd, l->packed, meta->zstd_bytes, zstd_at))
		return;
	bytes = ZSTD_decompressDCtx(l->zstd, l->bytes, sizeof(l->bytes), l->packed,
				    meta->zstd_bytes);
	if (!ZSTD_isError(bytes))
		add_ids(l, meta->base, bytes);
}

static void see_slot(void *arg, const struct xt_slot *slot, uint64_t head_at, uint64_t data_at)
{
	struct late *l = arg;

	if (slot->kind == XT_KIND_RECORDS)
		see_records(l, slot->seq);
	if (slot->kind == XT_KIND_IDS && frames_read(l->fd, l->bytes, sizeof(l->bytes), data_at))
		add_ids(l, slot->base, sizeof(l->bytes));
	if (l->places == PLACES_MAX)
		return;
	if (slot->kind == XT_KIND_RECORDS && slot->used < XT_SLOT_BYTES &&
	    slot->used % XT_RECORD_ALIGN == 0)
		l->place[l->places++] = (struct place){ head_at, data_at, *slot };
	if (slot->kind == XT_KIND_FREE)
		l->place[l->places++] = (struct place){ head_at, data_at, { .kind = slot->kind } };
}

static uint32_t room_of(const struct place *p)
{
	return XT_SLOT_BYTES - p->slot.used;
}

/* The bytes stand behind what is there; a free slot becomes a chunk of records. */
static bool put(struct late *l, const struct place *p, uint32_t bytes)
{
	struct xt_slot slot = p->slot;

	if (slot.kind == XT_KIND_FREE)
		slot = (struct xt_slot){ .kind = XT_KIND_RECORDS, .seq = l->next_seq++ };
	slot.used += bytes;
	return pwrite(l->fd, l->bytes, bytes, (off_t)(p->data_at + p->slot.used)) ==
		       (ssize_t)bytes &&
	       pwrite(l->fd, &slot, sizeof(slot), (off_t)p->head_at) == (ssize_t)sizeof(slot);
}

static void write_names(struct late *l)
{
	const struct place *p = l->place, *const end = p + l->places;
	uint32_t at = 0;

	for (uint32_t i = 0; i < l->names.count; i++) {
		const struct perf_name *name = &l->names.name[i];
		const char *text = perf_names_get(&l->names, name);
		const struct {
			struct xt_record record;
			struct xt_jit_name name;
		} head = { { (uint32_t)((sizeof(head) + name->bytes + XT_RECORD_ALIGN - 1) &
					~(XT_RECORD_ALIGN - 1)),
			     XT_RECORD_JIT_NAME, 1 },
			   { name->id, name->bytes } };

		if (!text)
			continue;
		while (p < end && at + head.record.size > room_of(p)) {
			if (at && !put(l, p, at))
				return;
			at = 0;
			p++;
		}
		if (p == end)
			return;
		memset(l->bytes + at, 0, head.record.size);
		memcpy(l->bytes + at, &head, sizeof(head));
		memcpy(l->bytes + at + sizeof(head), text, name->bytes);
		at += head.record.size;
	}
	if (at)
		put(l, p, at);
}

void late_names_write(int fd, uint32_t pid)
{
	const size_t work_bytes = ZSTD_estimateDCtxSize();
	struct late *l = memory_new(1, sizeof(*l));
	const struct frames_visitor visitor = { see_chunk, see_slot, l };

	*l = (struct late){ .fd = fd, .names = { .map = -1, .dump = -1 } };
	l->names.name = memory_new(IDS_MAX, sizeof(*l->names.name));
	l->names.buffer = memory_new(1, PERF_BUFFER_BYTES);
	l->work = memory_new(1, work_bytes);
	l->zstd = ZSTD_initStaticDCtx(l->work, work_bytes);
	frames_each(fd, &visitor);
	if (l->names.count) {
		perf_names_sort(&l->names);
		perf_names_of_map(&l->names, pid);
		write_names(l);
		perf_names_close(&l->names);
	}
	free(l->work);
	free(l->names.buffer);
	free(l->names.name);
	free(l);
}
