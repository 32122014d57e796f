/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/records.h"

#include <string.h>

#include "preload/store/file.h"
#include "preload/store/slot.h"

static struct {
	struct slot *_Atomic current;
	_Atomic uint64_t seq;
	_Atomic int open;
} records;

void records_init(void)
{
	records.current = NULL;
	records.seq = 0;
	records.open = 1;
}

void records_forget(void)
{
	records.open = 0;
	records.current = NULL;
}

/* Readers see the bytes up to `end`. */
static void show(const struct slot *s, uint32_t end)
{
	uint32_t used = __atomic_load_n(&s->head->used, __ATOMIC_RELAXED);

	while (used < end && !__atomic_compare_exchange_n(&s->head->used, &used, end, 0,
							  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
}

/*
 * Gives out `bytes` of the slot, or all that is left of it. The place is counted in memory with the
 * chunk's number: a slot that was committed and taken for something else meanwhile, for events even
 * (fill 0), does not give any. Returns the place, or XT_SLOT_BYTES.
 */
static uint32_t give_out(struct slot *s, uint64_t seq, uint32_t bytes, int all)
{
	uint64_t fill = atomic_load(&s->fill), next;
	uint32_t at;

	do {
		at = (uint32_t)fill;
		if (!(fill >> 32) || fill >> 32 != seq + 1 || at == XT_SLOT_BYTES)
			return XT_SLOT_BYTES;
		if (!all && at + bytes > XT_SLOT_BYTES)
			return XT_SLOT_BYTES;
		next = all ? XT_SLOT_BYTES : at + bytes;
	} while (!atomic_compare_exchange_strong(&s->fill, &fill, (seq + 1) << 32 | next));
	return at;
}

/* Takes what is left of the slot, so that nobody else is given any of it. */
static void close_slot(struct slot *s, uint64_t seq)
{
	uint32_t at = give_out(s, seq, 0, 1);

	if (at == XT_SLOT_BYTES)
		return;
	show(s, XT_SLOT_BYTES);
	slot_complete(s, XT_SLOT_BYTES - at);
}

static struct slot *next_slot(struct slot *old, uint64_t old_seq)
{
	struct slot *s;

	if (old)
		close_slot(old, old_seq);
	s = slot_take(1, 1);
	if (!s)
		return NULL;
	s->head->stream = 0;
	s->head->base = 0;
	s->head->first_stamp = 0;
	s->head->seq = atomic_fetch_add(&records.seq, 1);
	atomic_store(&s->fill, (s->head->seq + 1) << 32);
	slot_show(s, XT_KIND_RECORDS);
	if (atomic_compare_exchange_strong(&records.current, &old, s))
		return s;
	close_slot(s, s->head->seq); /* another thread was first: ours goes into the file empty */
	return old;
}

int records_add(enum xt_record_type type, const struct records_piece *piece, unsigned pieces)
{
	struct xt_record head = { 0, (uint16_t)type, 0 };
	uint32_t place = XT_SLOT_BYTES, size = sizeof(head);
	struct slot *s;
	uint8_t *at;
	unsigned i;

	if (!records.open)
		return -1;
	for (i = 0; i < pieces; i++)
		size += (uint32_t)piece[i].size;
	if (size > RECORDS_BYTES_MAX + sizeof(head) + sizeof(struct xt_text))
		return -1;
	size = (size + XT_RECORD_ALIGN - 1) & ~(XT_RECORD_ALIGN - 1);
	for (s = atomic_load(&records.current);; s = atomic_load(&records.current)) {
		const uint64_t seq = s ? (atomic_load(&s->fill) >> 32) - 1 : 0;

		if (s)
			place = give_out(s, seq, size, 0);
		if (place != XT_SLOT_BYTES)
			break;
		if (!next_slot(s, seq))
			return -1;
	}
	at = s->data + place;
	head.size = size;
	memcpy(at, &head, sizeof(head));
	show(s, place + size);
	at += sizeof(head);
	for (i = 0; i < pieces; i++) {
		memcpy(at, piece[i].bytes, piece[i].size);
		at += piece[i].size;
	}
	__atomic_store_n(&((struct xt_record *)(void *)(s->data + place))->ready, 1,
			 __ATOMIC_RELEASE);
	slot_complete(s, size);
	return 0;
}

int records_text(enum xt_record_type type, const char *text, size_t size)
{
	struct xt_text head;
	struct records_piece piece[2] = { { &head, sizeof(head) }, { text, size } };

	if (size > RECORDS_BYTES_MAX)
		piece[1].size = RECORDS_BYTES_MAX;
	head.bytes = (uint32_t)piece[1].size;
	return records_add(type, piece, 2);
}

void records_range(uint64_t start, uint64_t end, uint32_t what)
{
	const struct xt_range range = { start, end, what, 0 };
	const struct records_piece piece = { &range, sizeof(range) };

	if (records.open)
		records_add(XT_RECORD_RANGE, &piece, 1);
}

void records_close_slot(void)
{
	struct slot *s = atomic_exchange(&records.current, NULL);

	if (s)
		close_slot(s, (atomic_load(&s->fill) >> 32) - 1);
}
