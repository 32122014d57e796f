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

/* `bytes` of the slot are whole; whoever completes the last of them hands the slot over. */
static void complete(struct slot *s, uint32_t bytes)
{
	if (bytes && atomic_fetch_add(&s->done, bytes) + bytes == XT_SLOT_BYTES)
		slot_leave(s);
}

/* Takes what is left of the slot, so that nobody else is given any of it. */
static void close_slot(struct slot *s)
{
	uint32_t used = __atomic_load_n(&s->head->used, __ATOMIC_ACQUIRE);

	while (used < XT_SLOT_BYTES)
		if (__atomic_compare_exchange_n(&s->head->used, &used, XT_SLOT_BYTES, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			complete(s, XT_SLOT_BYTES - used);
			return;
		}
}

static struct slot *next_slot(struct slot *old)
{
	struct slot *s;

	if (old)
		close_slot(old);
	s = slot_take(1, 1);
	if (!s)
		return NULL;
	s->head->stream = 0;
	s->head->base = 0;
	s->head->first_stamp = 0;
	s->head->seq = atomic_fetch_add(&records.seq, 1);
	slot_show(s, XT_KIND_RECORDS);
	if (atomic_compare_exchange_strong(&records.current, &old, s))
		return s;
	close_slot(s); /* another thread was first: ours goes into the file empty */
	return old;
}

int records_add(enum xt_record_type type, const struct records_piece *piece, unsigned pieces)
{
	struct xt_record head = { 0, (uint16_t)type, 0 };
	struct slot *s;
	uint8_t *at;
	uint32_t used, size = sizeof(head);
	unsigned i;

	if (!records.open)
		return -1;
	for (i = 0; i < pieces; i++)
		size += (uint32_t)piece[i].size;
	if (size > RECORDS_BYTES_MAX + sizeof(head) + sizeof(struct xt_text))
		return -1;
	size = (size + XT_RECORD_ALIGN - 1) & ~(XT_RECORD_ALIGN - 1);
	s = atomic_load(&records.current);
	do {
		if (!s || (used = __atomic_load_n(&s->head->used, __ATOMIC_ACQUIRE)) + size >
				  XT_SLOT_BYTES) {
			s = next_slot(s);
			if (!s)
				return -1;
			used = __atomic_load_n(&s->head->used, __ATOMIC_ACQUIRE);
			if (used + size > XT_SLOT_BYTES)
				continue;
		}
	} while (used + size > XT_SLOT_BYTES ||
		 !__atomic_compare_exchange_n(&s->head->used, &used, used + size, 0,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	at = s->data + used;
	head.size = size;
	memcpy(at, &head, sizeof(head));
	at += sizeof(head);
	for (i = 0; i < pieces; i++) {
		memcpy(at, piece[i].bytes, piece[i].size);
		at += piece[i].size;
	}
	__atomic_store_n(&((struct xt_record *)(void *)(s->data + used))->ready, 1,
			 __ATOMIC_RELEASE);
	complete(s, size);
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
		close_slot(s);
}
