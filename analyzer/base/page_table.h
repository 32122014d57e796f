/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An array of zeroed entries in pages that are made when they are first needed: a trace that names
 * one huge number costs a directory and one page, not everything below it.
 */
#ifndef XALLOC_BASE_PAGE_TABLE_H
#define XALLOC_BASE_PAGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct page_table {
	char **page; /* NULL: none of its entries was made */
	uint32_t pages;
	size_t entry_bytes;
};

#define PAGE_TABLE_ENTRIES 1024u /* a page */

void page_table_init(struct page_table *table, size_t entry_bytes);
void page_table_release(struct page_table *table);
/* The entry of a number, made when it is not there. Valid as long as the table. */
void *page_table_make(struct page_table *table, uint32_t number);

/* NULL: it, and all others of its page, was never made. */
static inline void *page_table_find(const struct page_table *table, uint32_t number)
{
	const uint32_t page = number / PAGE_TABLE_ENTRIES;

	if (page >= table->pages || !table->page[page])
		return NULL;
	return table->page[page] + number % PAGE_TABLE_ENTRIES * table->entry_bytes;
}

#endif
