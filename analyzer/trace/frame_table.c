/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/frame_table.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

/* Pages, so that a trace that names a huge id costs a directory and one page, not everything below
 * it. */
#define PAGE_SHIFT 10
#define PAGE_IDS (1u << PAGE_SHIFT)

struct frame_table {
	struct xt_id **page;
	uint32_t pages;
	uint64_t count;
};

struct frame_table *frame_table_new(void)
{
	struct frame_table *table = xcalloc(1, sizeof(*table));

	table->count = XT_ID_FIRST;
	return table;
}

void frame_table_free(struct frame_table *table)
{
	if (!table)
		return;
	for (uint32_t i = 0; i < table->pages; i++)
		free(table->page[i]);
	free(table->page);
	free(table);
}

static struct xt_id *entry_make(struct frame_table *table, uint32_t id)
{
	const uint32_t page = id >> PAGE_SHIFT;

	if (page >= table->pages) {
		uint32_t pages = table->pages * 2 > page ? table->pages * 2 : page + 1;

		table->page = xreallocarray(table->page, pages, sizeof(*table->page));
		for (uint32_t i = table->pages; i < pages; i++)
			table->page[i] = NULL;
		table->pages = pages;
	}
	if (!table->page[page])
		table->page[page] = xcalloc(PAGE_IDS, sizeof(**table->page));
	return &table->page[page][id & (PAGE_IDS - 1)];
}

void frame_table_add(struct frame_table *table, uint64_t first_id, const struct xt_id *id,
		     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t number;
		struct xt_id *entry;

		if (!(id[i].flags & XT_IDF_READY))
			continue;
		if (__builtin_add_overflow(first_id, i, &number) || number > UINT32_MAX)
			return;
		if (number < XT_ID_FIRST)
			continue;
		entry = entry_make(table, (uint32_t)number);
		if (entry->flags & XT_IDF_READY)
			continue;
		*entry = id[i];
		if (number + 1 > table->count)
			table->count = number + 1;
	}
}

const struct xt_id *frame_table_get(const struct frame_table *table, uint32_t id)
{
	const uint32_t page = id >> PAGE_SHIFT;
	const struct xt_id *entry;

	if (page >= table->pages || !table->page[page])
		return NULL;
	entry = &table->page[page][id & (PAGE_IDS - 1)];
	return entry->flags & XT_IDF_READY ? entry : NULL;
}

uint64_t frame_table_count(const struct frame_table *table)
{
	return table->count;
}
