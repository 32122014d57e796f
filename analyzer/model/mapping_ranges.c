/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/mapping_ranges.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

/* A call gives its old range back before it is made, and has the new one after it. */
struct half {
	uint64_t stamp;
	uint32_t call;
	bool gives;
};

void mapping_ranges_release(struct mapping_ranges *ranges)
{
	free(ranges->range);
	*ranges = (struct mapping_ranges){ .count = 0 };
}

size_t mapping_ranges_find(const struct mapping_ranges *ranges, uint64_t addr)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges->range[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void insert(struct mapping_ranges *ranges, size_t at, const struct mapping_range *range)
{
	if (ranges->count == ranges->room) {
		ranges->room = ranges->room * 2 + 64;
		ranges->range = xreallocarray(ranges->range, ranges->room, sizeof(*ranges->range));
	}
	memmove(ranges->range + at + 1, ranges->range + at,
		(ranges->count - at) * sizeof(*ranges->range));
	ranges->range[at] = *range;
	ranges->count++;
}

static void erase(struct mapping_ranges *ranges, size_t at)
{
	ranges->count--;
	memmove(ranges->range + at, ranges->range + at + 1,
		(ranges->count - at) * sizeof(*ranges->range));
}

/* Nothing is mapped from start to end any more; returns the bytes that were. */
static uint64_t cut(struct mapping_ranges *ranges, uint64_t start, uint64_t end,
		    const struct mapping_watch *watch)
{
	size_t at = mapping_ranges_find(ranges, start);
	uint64_t bytes = 0;

	while (at < ranges->count && ranges->range[at].start < end) {
		const struct mapping_range old = ranges->range[at];
		struct mapping_range part = old;

		erase(ranges, at);
		if (old.start < start) {
			part.end = start;
			insert(ranges, at++, &part);
		}
		if (old.end > end) {
			part = old;
			part.start = end;
			insert(ranges, at, &part);
		}
		part = old;
		if (part.start < start)
			part.start = start;
		if (part.end > end)
			part.end = end;
		bytes += part.end - part.start;
		if (watch && watch->gone)
			watch->gone(watch->owner, &part);
	}
	return bytes;
}

static void apply(struct mapping_ranges *ranges, const struct mapping_call *call, bool gives,
		  const struct mapping_watch *watch)
{
	const struct xt_mapping *m = &call->record;
	struct mapping_range range = { m->start, m->start + m->bytes, call->node, m->flags };

	if (gives) {
		const uint64_t known =
			cut(ranges, m->old_start, m->old_start + m->old_bytes, watch);

		if (known < m->old_bytes && watch && watch->unknown)
			watch->unknown(watch->owner, m->old_bytes - known, call);
		return;
	}
	cut(ranges, range.start, range.end, watch);
	insert(ranges, mapping_ranges_find(ranges, range.start), &range);
	if (watch && watch->come)
		watch->come(watch->owner, &range, call);
}

static int compare_halves(const void *left, const void *right)
{
	const struct half *a = left, *b = right;

	if (a->stamp != b->stamp)
		return a->stamp < b->stamp ? -1 : 1;
	if (a->call != b->call) /* in the log's order */
		return a->call < b->call ? -1 : 1;
	return a->gives ? -1 : 1;
}

void mapping_ranges_run(struct mapping_ranges *ranges, const struct mapping_log *log,
			uint64_t stamp, const struct mapping_watch *watch)
{
	struct half *half = xreallocarray(NULL, 2 * log->calls + 1, sizeof(*half));
	size_t halves = 0;

	for (size_t i = 0; i < log->calls; i++) {
		const struct xt_mapping *m = &log->call[i].record;

		if (m->old_bytes)
			half[halves++] = (struct half){ m->stamp0, (uint32_t)i, true };
		if (m->bytes)
			half[halves++] = (struct half){ m->stamp1, (uint32_t)i, false };
	}
	qsort(half, halves, sizeof(*half), compare_halves);
	for (size_t i = 0; i < halves && half[i].stamp <= stamp; i++)
		apply(ranges, &log->call[half[i].call], half[i].gives, watch);
	free(half);
}
