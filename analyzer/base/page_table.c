/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/page_table.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

void page_table_init(struct page_table *table, size_t entry_bytes)
{
	*table = (struct page_table){ .entry_bytes = entry_bytes };
}

void page_table_release(struct page_table *table)
{
	for (uint32_t i = 0; i < table->pages; i++)
		free(table->page[i]);
	free(table->page);
	*table = (struct page_table){ .entry_bytes = table->entry_bytes };
}

void *page_table_make(struct page_table *table, uint32_t number)
{
	const uint32_t page = number / PAGE_TABLE_ENTRIES;

	if (page >= table->pages) {
		const uint32_t pages = table->pages * 2 > page ? table->pages * 2 : page + 1;

		table->page = xreallocarray(table->page, pages, sizeof(*table->page));
		for (uint32_t i = table->pages; i < pages; i++)
			table->page[i] = NULL;
		table->pages = pages;
	}
	if (!table->page[page])
		table->page[page] = xcalloc(PAGE_TABLE_ENTRIES, table->entry_bytes);
	return page_table_find(table, number);
}
