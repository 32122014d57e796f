/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/snapshot_log.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

void snapshot_log_release(struct snapshot_log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		free(log->snapshot[i].maps);
		free(log->snapshot[i].pages);
	}
	free(log->snapshot);
	free(log->own);
	*log = (struct snapshot_log){ .count = 0 };
}

/* Parts of two are never mixed for long: the latest one first. */
static struct snapshot *find(struct snapshot_log *log, uint32_t number)
{
	for (size_t i = log->count; i-- > 0;)
		if (log->snapshot[i].head.number == number)
			return &log->snapshot[i];
	if (log->count == log->room) {
		log->room = log->room * 2 + 16;
		log->snapshot = xreallocarray(log->snapshot, log->room, sizeof(*log->snapshot));
	}
	log->snapshot[log->count] = (struct snapshot){ .head.number = number };
	return &log->snapshot[log->count++];
}

static bool add_head(struct snapshot_log *log, const uint8_t *payload, size_t size)
{
	struct xt_snapshot head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	if (head.why < XT_SNAPSHOT_HIGH || head.why > XT_SNAPSHOT_END ||
	    head.how < XT_SNAPSHOT_SCAN || head.how > XT_SNAPSHOT_COSTLY)
		return false;
	find(log, head.number)->head = head;
	return true;
}

static bool add_outside(struct snapshot_log *log, const uint8_t *payload, size_t size)
{
	struct xt_snapshot_outside outside;
	struct snapshot *to;

	if (size < sizeof(outside))
		return false;
	memcpy(&outside, payload, sizeof(outside));
	to = find(log, outside.number);
	to->is_outside = true;
	to->outside = outside;
	return true;
}

static void add_maps(struct snapshot *to, const uint8_t *text, uint32_t bytes)
{
	to->maps = xrealloc(to->maps, to->maps_bytes + bytes + 1);
	memcpy(to->maps + to->maps_bytes, text, bytes);
	to->maps_bytes += bytes;
	to->maps[to->maps_bytes] = '\0';
	to->maps_parts++;
}

static bool add_pages(struct snapshot *to, const uint8_t *bytes, uint32_t size)
{
	const size_t count = size / sizeof(*to->pages);

	to->pages = xreallocarray(to->pages, to->runs + count, sizeof(*to->pages));
	memcpy(to->pages + to->runs, bytes, count * sizeof(*to->pages));
	for (size_t i = 0; i < count; i++) {
		const struct xt_pages *run = &to->pages[to->runs + i];

		if (run->start & (XT_PAGE_BYTES - 1) || run->start >> 48)
			return false;
	}
	to->runs += count;
	to->pages_parts++;
	return true;
}

bool snapshot_log_add(struct snapshot_log *log, uint16_t type, const uint8_t *payload, size_t size)
{
	struct xt_snapshot_part part;
	struct snapshot *to;

	if (type == XT_RECORD_SNAPSHOT)
		return add_head(log, payload, size);
	if (type == XT_RECORD_SNAPSHOT_OUTSIDE)
		return add_outside(log, payload, size);
	if (size < sizeof(part))
		return false;
	memcpy(&part, payload, sizeof(part));
	if (!part.bytes || part.bytes > size - sizeof(part))
		return false;
	to = find(log, part.number);
	if (type == XT_RECORD_SNAPSHOT_MAPS) {
		if (part.part == to->maps_parts) /* else one is missing */
			add_maps(to, payload + sizeof(part), part.bytes);
		return true;
	}
	if (part.bytes % sizeof(struct xt_pages))
		return false;
	return part.part != to->pages_parts || add_pages(to, payload + sizeof(part), part.bytes);
}

bool snapshot_log_add_own(struct snapshot_log *log, const uint8_t *payload, size_t size)
{
	struct xt_range range;

	if (size < sizeof(range))
		return false;
	memcpy(&range, payload, sizeof(range));
	log->own = xreallocarray(log->own, log->owns + 1, sizeof(*log->own));
	log->own[log->owns++] = range;
	return range.start <= range.end;
}

static int compare_runs(const void *left, const void *right)
{
	const struct xt_pages *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static int compare_snapshots(const void *left, const void *right)
{
	const struct snapshot *a = left, *b = right;

	if (a->head.stamp != b->head.stamp)
		return a->head.stamp < b->head.stamp ? -1 : 1;
	return a->head.number < b->head.number ? -1 : a->head.number > b->head.number;
}

static void seal(struct snapshot *s)
{
	uint64_t end = 0;
	size_t kept = 0;

	if (!s->maps)
		s->maps = xstrdup("");
	s->is_whole = s->maps_parts == s->head.maps && s->pages_parts == s->head.pages &&
		      (s->is_outside || s->head.number < XT_SNAPSHOT_OUTSIDE);
	if (s->runs)
		qsort(s->pages, s->runs, sizeof(*s->pages), compare_runs);
	for (size_t i = 0; i < s->runs; i++) {
		if (s->pages[i].start < end) {
			s->is_whole = false;
			continue;
		}
		end = s->pages[i].start + (uint64_t)s->pages[i].count * XT_PAGE_BYTES;
		s->pages[kept++] = s->pages[i];
	}
	s->runs = kept;
}

void snapshot_log_seal(struct snapshot_log *log)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->count; i++) {
		if (!log->snapshot[i].head.how) { /* a kill came in between */
			free(log->snapshot[i].maps);
			free(log->snapshot[i].pages);
			continue;
		}
		seal(&log->snapshot[i]);
		log->snapshot[kept++] = log->snapshot[i];
	}
	log->count = kept;
	if (kept)
		qsort(log->snapshot, kept, sizeof(*log->snapshot), compare_snapshots);
	for (size_t i = 0; i < kept; i++)
		log->snapshot[i].head.number = (uint32_t)i;
}
