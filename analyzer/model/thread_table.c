/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/thread_table.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"

#define FIRST_SLOTS 64u

void thread_table_init(struct thread_table *table)
{
	*table = (struct thread_table){ .slot_mask = FIRST_SLOTS - 1, .seed = seed_make() };
	table->slot = xcalloc(FIRST_SLOTS, sizeof(*table->slot));
}

void thread_table_release(struct thread_table *table)
{
	free(table->thread);
	free(table->slot);
	*table = (struct thread_table){ 0 };
}

static uint32_t *slot_of(const struct thread_table *table, uint32_t number)
{
	uint32_t at = (uint32_t)(seed_hash(table->seed, number) >> 32) & table->slot_mask;

	while (table->slot[at] && table->thread[table->slot[at] - 1].number != number)
		at = (at + 1) & table->slot_mask;
	return &table->slot[at];
}

static void grow(struct thread_table *table)
{
	const uint64_t slots = ((uint64_t)table->slot_mask + 1) * 2;

	free(table->slot);
	table->slot = xcalloc(slots, sizeof(*table->slot));
	table->slot_mask = (uint32_t)(slots - 1);
	for (uint32_t i = 0; i < table->count; i++)
		*slot_of(table, table->thread[i].number) = i + 1;
}

uint32_t thread_table_index(struct thread_table *table, uint32_t number)
{
	uint32_t *slot = slot_of(table, number);

	if (*slot)
		return *slot - 1;
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? table->capacity * 2 : 16;
		table->thread = xreallocarray(table->thread, table->capacity,
					      sizeof(*table->thread));
	}
	table->thread[table->count] = (struct thread){ 0, number };
	*slot = ++table->count;
	if (table->count > table->slot_mask / 2)
		grow(table);
	return table->count - 1;
}
