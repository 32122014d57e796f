/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/frame_table.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/page_table.h"

struct frame_table {
	struct page_table id; /* struct xt_id */
};

struct frame_table *frame_table_new(void)
{
	struct frame_table *table = xcalloc(1, sizeof(*table));

	page_table_init(&table->id, sizeof(struct xt_id));
	return table;
}

void frame_table_free(struct frame_table *table)
{
	if (!table)
		return;
	page_table_release(&table->id);
	free(table);
}

bool frame_table_add(struct frame_table *table, uint64_t first_id, const struct xt_id *id,
		     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct xt_id *entry;

		if (!(id[i].flags & XT_IDF_READY))
			continue;
		if (first_id >= XT_IDS_MAX || i >= XT_IDS_MAX - first_id)
			return false;
		if (first_id + i < XT_ID_FIRST)
			continue;
		entry = page_table_make(&table->id, (uint32_t)(first_id + i));
		if (!(entry->flags & XT_IDF_READY))
			*entry = id[i];
	}
	return true;
}

const struct xt_id *frame_table_get(const struct frame_table *table, uint32_t id)
{
	const struct xt_id *entry = page_table_find(&table->id, id);

	return entry && entry->flags & XT_IDF_READY ? entry : NULL;
}

const struct xt_id *frame_table_next(const struct frame_table *table, uint32_t *id)
{
	const struct xt_id *entry = NULL;

	while (!entry && *id / PAGE_TABLE_ENTRIES < table->id.pages) {
		entry = frame_table_get(table, *id);
		if (!entry && !table->id.page[*id / PAGE_TABLE_ENTRIES])
			*id = (*id / PAGE_TABLE_ENTRIES + 1) * PAGE_TABLE_ENTRIES;
		else if (!entry)
			++*id;
	}
	return entry;
}
