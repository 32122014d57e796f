/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/eh_index.h"

#include <stdatomic.h>
#include <stddef.h>

#define INDEXES 8u
#define PARTS 256u
#define COUNT_LEAST 4096u /* entries of 8 pages */

static struct index {
	const struct eh_entry *_Atomic table; /* NULL: being filled */
	int32_t pc[PARTS];                    /* of entry part_start(count, i) */
} indexes[INDEXES];
static _Atomic uint32_t taken; /* may exceed INDEXES */

static uint64_t part_start(uint64_t count, uint64_t part)
{
	return count * part / PARTS;
}

static const struct index *find(const struct eh_entry *table)
{
	uint32_t i;

	for (i = 0; i < INDEXES; i++)
		if (atomic_load_explicit(&indexes[i].table, memory_order_acquire) == table)
			return &indexes[i];
	return NULL;
}

void eh_index_make(const struct eh_entry *table, uint64_t count)
{
	struct index *x;
	uint32_t i;

	if (count < COUNT_LEAST || find(table) || atomic_load(&taken) >= INDEXES)
		return;
	i = atomic_fetch_add(&taken, 1);
	if (i >= INDEXES)
		return;
	x = &indexes[i];
	for (i = 0; i < PARTS; i++)
		x->pc[i] = table[part_start(count, i)].pc;
	atomic_store_explicit(&x->table, table, memory_order_release);
}

const struct eh_entry *eh_search(const struct eh_entry *table, uint64_t count, int64_t address)
{
	const struct index *x = count < COUNT_LEAST ? NULL : find(table);
	uint64_t low = 0,
		 high = count; /* all before low do not begin after address, from high do */

	if (x) {
		uint64_t part = 0, end = PARTS;

		while (part < end) {
			const uint64_t half = (part + end) / 2;

			if (x->pc[half] <= address)
				part = half + 1;
			else
				end = half;
		}
		if (!part)
			return NULL;
		low = part_start(count, part - 1) + 1;
		high = part < PARTS ? part_start(count, part) : count;
	}
	while (low < high) {
		const uint64_t half = low + (high - low) / 2;

		if (table[half].pc <= address)
			low = half + 1;
		else
			high = half;
	}
	return low ? &table[low - 1] : NULL;
}
