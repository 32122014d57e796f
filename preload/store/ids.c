/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/ids.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/store/slot.h"
#include "preload/sys/sysmem.h"

#define BLOCK_IDS (XT_SLOT_BYTES / (uint32_t)sizeof(struct xt_id))
#define BLOCKS_MAX (XT_IDS_MAX / BLOCK_IDS)

/* The first block begins at id 0: its reserved entries are never written. */
static struct {
	_Atomic uint32_t next;
	struct slot *_Atomic *block; /* [BLOCKS_MAX] */
} ids;

void ids_init(void)
{
	uint32_t i;

	if (!ids.block)
		ids.block = sysmem_new(BLOCKS_MAX * sizeof(*ids.block));
	for (i = 0; ids.block && i <= ids.next / BLOCK_IDS && i < BLOCKS_MAX; i++)
		ids.block[i] = NULL;
	ids.next = XT_ID_FIRST;
}

static struct slot *block_get(uint32_t number)
{
	struct slot *s = atomic_load_explicit(&ids.block[number], memory_order_acquire),
		    *none = NULL;

	if (s)
		return s;
	s = slot_take(1, 1);
	if (!s)
		return NULL;
	s->head->stream = 0;
	s->head->seq = number;
	s->head->base = (uint64_t)number * BLOCK_IDS;
	s->head->first_stamp = 0;
	s->head->used = XT_SLOT_BYTES;
	s->head->events = BLOCK_IDS;
	if (number == 0)
		s->done = XT_ID_FIRST * (uint32_t)sizeof(struct xt_id);
	slot_show(s, XT_KIND_IDS);
	if (atomic_compare_exchange_strong(&ids.block[number], &none, s))
		return s;
	slot_release(s);
	return none;
}

uint32_t ids_add(uint64_t pc, uint32_t epoch, uint32_t flags)
{
	uint32_t id = atomic_fetch_add_explicit(&ids.next, 1, memory_order_relaxed);
	struct xt_id *entry;
	struct slot *s;

	if (!ids.block || id / BLOCK_IDS >= BLOCKS_MAX)
		return XT_ID_NONE;
	s = block_get(id / BLOCK_IDS);
	if (!s)
		return XT_ID_NONE;
	entry = (struct xt_id *)(void *)s->data + id % BLOCK_IDS;
	entry->pc = pc;
	entry->epoch = epoch;
	__atomic_store_n(&entry->flags, flags | XT_IDF_READY, __ATOMIC_RELEASE);
	slot_complete(s, sizeof(struct xt_id));
	return id;
}

uint32_t ids_bound(void)
{
	return atomic_load_explicit(&ids.next, memory_order_relaxed);
}

void ids_close_block(void)
{
	uint32_t next = atomic_load(&ids.next), rest = BLOCK_IDS - next % BLOCK_IDS;
	struct slot *s;

	if (!ids.block || next == XT_ID_FIRST || next / BLOCK_IDS >= BLOCKS_MAX)
		return;
	if (rest == BLOCK_IDS || !atomic_compare_exchange_strong(&ids.next, &next, next + rest))
		return; /* nothing open, or another thread adds: the block stays in its slot, where
			   it is read */
	s = ids.block[next / BLOCK_IDS];
	if (s)
		slot_complete(s, rest * (uint32_t)sizeof(struct xt_id));
}
