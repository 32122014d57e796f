/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/chunk_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/trace/frame_scan.h"
#include "preload/trace/sealed.h"

struct chunk_ref *chunk_index_add(struct chunk_index *index)
{
	if (index->count == index->capacity) {
		index->capacity = index->capacity ? index->capacity + index->capacity / 2 : 64;
		index->ref = xreallocarray(index->ref, index->capacity, sizeof(*index->ref));
	}
	return &index->ref[index->count++];
}

bool chunk_meta_is_sane(const struct xt_meta *meta)
{
	const uint32_t most = meta->kind == XT_KIND_COLUMNS ? XT_COLUMNS_BYTES_MAX : XT_SLOT_BYTES;

	return meta->check == xt_meta_check(meta) && meta->kind >= XT_KIND_EVENTS &&
	       meta->kind <= XT_KIND_COLUMNS && meta->raw_bytes && meta->raw_bytes <= most &&
	       meta->events <= most && meta->zstd_bytes >= CHUNK_ZSTD_BYTES_MIN &&
	       meta->zstd_bytes <= 2 * most;
}

const char *chunk_kind_name(uint32_t kind)
{
	return kind == XT_KIND_EVENTS ? "events" : kind == XT_KIND_IDS ? "frame ids" : "records";
}

void chunk_index_release(struct chunk_index *index)
{
	for (size_t i = 0; i < index->slots; i++)
		free(index->slot[i].copy);
	free(index->slot);
	free(index->ref);
	free(index->window);
	free(index->stream);
	*index = (struct chunk_index){ 0 };
}

static void add_slot(struct chunk_index *index, const struct slot *slot)
{
	struct chunk_ref *ref;

	if (index->slots == index->slot_capacity) {
		index->slot_capacity = index->slot_capacity ? index->slot_capacity * 2 : 16;
		index->slot = xreallocarray(index->slot, index->slot_capacity,
					    sizeof(*index->slot));
	}
	index->slot[index->slots++] = *slot;
	ref = chunk_index_add(index);
	*ref = (struct chunk_ref){ slot->offset, slot->head.seq, slot->head.base,
				   slot->head.first_stamp, slot->head.stream, slot->head.kind,
				   slot->head.events, (uint32_t)index->slots };
}

/* The bytes of a running process's slot, as they are now: the file will go on changing. False when
 * the slot was given to another chunk meanwhile; what it held is a chunk of the file then. */
static bool take_copy(const struct trace_file *file, uint64_t head_offset, struct slot *slot)
{
	struct xt_slot now;

	slot->copy = xmalloc(slot->head.used);
	if (trace_file_read(file, slot->offset, slot->copy, slot->head.used) &&
	    trace_file_read(file, head_offset, &now, sizeof(now)) && now.kind == slot->head.kind &&
	    now.stream == slot->head.stream && now.seq == slot->head.seq)
		return true;
	free(slot->copy);
	return false;
}

/* Of its two numbers one is wrong: the events, when that can be, else who knows. */
static uint64_t lost_with(const struct xt_slot *slot)
{
	return slot->events && slot->events <= XT_SLOT_BYTES / 2 ? slot->events : 1;
}

static void look_at_slot(struct chunk_index *index, const struct trace_file *file, uint64_t window,
			 uint32_t number, bool want_events, struct damage *damage)
{
	const uint64_t head_offset = window + XT_FRAME_HEAD_BYTES + sizeof(struct xt_window) +
				     number * sizeof(struct xt_slot);
	struct slot slot = { .offset = window + XT_PAGE_BYTES + (uint64_t)number * XT_SLOT_BYTES };

	if (!trace_file_read(file, head_offset, &slot.head, sizeof(slot.head)))
		return;
	if (slot.head.kind == XT_KIND_FREE || slot.head.kind == XT_KIND_TAKEN)
		return;
	if (slot.head.kind > XT_KIND_RECORDS) {
		if (want_events)
			damage_add(damage, 0, "offset %" PRIu64 ": a slot of unknown kind %" PRIu32,
				   head_offset, slot.head.kind);
		return;
	}
	if ((slot.head.kind == XT_KIND_EVENTS) != want_events)
		return;
	if (slot.head.kind == XT_KIND_IDS)
		slot.head.used = XT_SLOT_BYTES;
	if (slot.head.used > XT_SLOT_BYTES || slot.head.events > slot.head.used) {
		damage_add(damage, want_events ? lost_with(&slot.head) : 0,
			   "offset %" PRIu64 ": a slot says that it holds %s and %s", head_offset,
			   number_of(slot.head.used, "byte").text,
			   number_of(slot.head.events, "event").text);
		return;
	}
	if (slot.head.used && (!file->is_live || take_copy(file, head_offset, &slot)))
		add_slot(index, &slot);
}

static void look_at_windows(struct chunk_index *index, const struct trace_file *file,
			    bool want_events, struct damage *damage)
{
	for (size_t i = 0; i < index->windows; i++) {
		uint32_t slots;

		if (!trace_file_read(file, index->window[i] + XT_FRAME_HEAD_BYTES, &slots,
				     sizeof(slots)))
			continue;
		if (slots > XT_WINDOW_SLOTS_MAX)
			slots = XT_WINDOW_SLOTS_MAX;
		for (uint32_t j = 0; j < slots; j++)
			look_at_slot(index, file, index->window[i], j, want_events, damage);
	}
}

static int by_number(const void *a, const void *b)
{
	const struct chunk_ref *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	if (!x->slot != !y->slot)
		return x->slot ? 1 : -1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool is_same_stream(const struct chunk_ref *a, const struct chunk_ref *b)
{
	return a->kind == b->kind && a->stream == b->stream;
}

bool chunk_ref_is_equal(const struct chunk_ref *a, const struct chunk_ref *b)
{
	return is_same_stream(a, b) && a->seq == b->seq;
}

/* While the process runs, a chunk may be published where the walk has passed already. Then it is
 * known by its slot, as that was before, and what its stream wrote later comes too soon. */
static bool comes_too_soon(const struct chunk_ref *slot, const struct chunk_ref *ref)
{
	return slot->slot && is_same_stream(slot, ref) && ref->base > slot->base + slot->events;
}

static void drop_equal(struct chunk_index *index, bool is_live)
{
	size_t kept = 0;

	for (size_t i = 0; i < index->count; i++) {
		const struct chunk_ref *ref = &index->ref[i], *last = ref;

#if XALLOC_FAULT != 8
		if (kept && ref->kind == XT_KIND_EVENTS)
			last = &index->ref[kept - 1];
#endif
		if (last != ref && (chunk_ref_is_equal(last, ref) ||
				    (is_live && comes_too_soon(last, ref))))
			continue;
		index->ref[kept++] = *ref;
	}
	index->count = kept;
}

/* Is a chunk missing before ref? previous is NULL for the first of a stream. Returns the events
 * lost. */
static uint64_t check_order(const struct chunk_ref *previous, const struct chunk_ref *ref,
			    struct damage *damage)
{
	const uint64_t seq = previous ? previous->seq + 1 : 0;
	const bool has_events = ref->kind == XT_KIND_EVENTS;
	uint64_t base = 0, lost = 0;
	char whose[24];

	if (previous && chunk_ref_is_equal(previous, ref))
		return 0;
	if (previous)
		base = previous->base + previous->events;
	if (has_events && ref->base > base)
		lost = ref->base - base;
	if (ref->seq != seq) {
		snprintf(whose, sizeof(whose), "stream %" PRIu32, ref->stream);
		damage_add(damage, lost, "%s: %s missing before offset %" PRIu64,
			   has_events ? whose : chunk_kind_name(ref->kind),
			   number_of(ref->seq - seq, "chunk").text, ref->offset);
		return lost;
	}
	if (has_events && ref->base != base)
		damage_add(damage, 0, "stream %" PRIu32 ": the chunk at offset %" PRIu64
			   " contradicts the one before it in the number of events", ref->stream,
			   ref->offset);
	return 0;
}

static void say_missing(const struct chunk_index *index, struct damage *damage, uint64_t lost)
{
	const uint64_t chunks = index->totals_chunks, events = index->totals_events;
	const bool has_both = chunks && events;

	damage_add(damage, lost, "of the recorder's own count %s%s%s %s missing",
		   chunks ? number_of(chunks, "chunk").text : "", has_both ? " and " : "",
		   events ? number_of(events, "event").text : "", number_are(chunks + events));
}

static void find_streams(struct chunk_index *index, struct damage *damage)
{
	uint64_t lost = 0;
	size_t capacity = 0;

	for (size_t i = 0; i < index->count; i++) {
		const struct chunk_ref *ref = &index->ref[i];
		const bool goes_on = i && is_same_stream(ref, ref - 1);

		lost += check_order(goes_on ? ref - 1 : NULL, ref, damage);
		if (ref->kind != XT_KIND_EVENTS)
			continue;
		if (goes_on) {
			index->stream[index->streams - 1].count++;
			continue;
		}
		if (index->streams == capacity) {
			capacity = capacity ? capacity * 2 : 8;
			index->stream = xreallocarray(index->stream, capacity,
						      sizeof(*index->stream));
		}
		index->stream[index->streams++] = (struct chunk_run){ ref->stream, i, 1 };
	}
	if (index->totals_chunks || index->totals_events)
		say_missing(index, damage,
			    index->totals_events > lost ? index->totals_events - lost : 0);
}

void chunk_index_build(struct chunk_index *index, struct trace_file *file, struct damage *damage)
{
	/*
	 * While the process runs, the order matters: a slot that is looked at before the chunks may
	 * turn up among them, but none can be missed in between; and frame ids are looked at last,
	 * so that all that the events name are there.
	 */
	if (file->is_live) {
		frame_scan(index, file, SCAN_WINDOWS, damage);
		look_at_windows(index, file, true, damage);
		frame_scan(index, file, SCAN_ALL, damage);
		look_at_windows(index, file, false, damage);
		frame_scan(index, file, SCAN_NO_EVENTS, damage);
	} else {
		frame_scan(index, file, SCAN_ALL, damage);
		look_at_windows(index, file, true, damage);
		look_at_windows(index, file, false, damage);
	}
	if (index->count)
		qsort(index->ref, index->count, sizeof(*index->ref), by_number);
	drop_equal(index, file->is_live);
	find_streams(index, damage);
}
