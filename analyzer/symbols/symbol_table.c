/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/name_pool.h"

struct symbol_table {
	char *key, *why;
	struct symbol_rows from;
	/* What was added; here the entries have numbers of texts. */
	struct symbol_row *row;
	size_t rows, row_room;
	struct symbol_entry *entry;
	size_t entries, entry_room;
	struct name_pool *texts;
};

struct symbol_table *symbol_table_new(const char *key, const char *why,
				      const struct symbol_rows *from)
{
	struct symbol_table *table = xcalloc(1, sizeof(*table));

	table->key = xstrdup(key);
	table->why = xstrdup(why ? why : "");
	if (from)
		table->from = *from;
	table->texts = name_pool_new();
	return table;
}

void symbol_table_free(struct symbol_table *table)
{
	if (!table)
		return;
	free(table->key);
	free(table->why);
	free(table->row);
	free(table->entry);
	name_pool_free(table->texts);
	free(table);
}

const char *symbol_table_key(const struct symbol_table *table)
{
	return table->key;
}

const char *symbol_table_why(const struct symbol_table *table)
{
	return table->why;
}

bool symbol_table_has_news(const struct symbol_table *table)
{
	return table->rows;
}

int symbol_table_find(const struct symbol_table *table, uint64_t addr, size_t *at)
{
	uint32_t low = 0, high = table->from.rows;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (table->from.row[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->from.rows || table->from.row[low].addr != addr)
		return -1;
	*at = table->from.row[low].first;
	return (int)table->from.row[low].count;
}

struct symbol_frame symbol_table_frame(const struct symbol_table *table, size_t at, int i)
{
	const struct symbol_entry *entry = &table->from.entry[at + (size_t)i];

	return (struct symbol_frame){ .function = table->from.text + entry->function,
				      .file = table->from.text + entry->file,
				      .line = entry->line };
}

static void add_entry(struct symbol_table *table, const struct symbol_frame *frame)
{
	if (table->entries == table->entry_room) {
		table->entry_room = table->entry_room * 2 + 64;
		table->entry =
			xreallocarray(table->entry, table->entry_room, sizeof(*table->entry));
	}
	table->entry[table->entries++] =
		(struct symbol_entry){ .function = name_pool_add(table->texts, frame->function),
				       .file = name_pool_add(table->texts, frame->file),
				       .line = frame->line };
}

void symbol_table_add(struct symbol_table *table, uint64_t addr, const struct symbol_frame *frame,
		      uint32_t count)
{
	if (count > SYMBOL_CHAIN_MAX || table->entries + count > UINT32_MAX)
		return;
	if (table->rows == table->row_room) {
		table->row_room = table->row_room * 2 + 64;
		table->row = xreallocarray(table->row, table->row_room, sizeof(*table->row));
	}
	table->row[table->rows++] = (struct symbol_row){ addr, (uint32_t)table->entries, count };
	for (uint32_t i = 0; i < count; i++)
		add_entry(table, &frame[i]);
}

/* An image while it is made. */
struct making {
	struct symbol_image *image;
	struct name_pool *texts;
	uint32_t *offset; /* in the image's texts, by number; 0 is what is not there yet, and "" */
	size_t offsets, text_room;
};

static uint32_t put_text(struct making *making, const char *text)
{
	struct symbol_image *image = making->image;
	const uint32_t number = name_pool_add(making->texts, text);
	const size_t bytes = strlen(text) + 1;

	if (bytes == 1)
		return 0;
	if (number >= making->offsets) {
		const size_t room = making->offsets * 2 + 64;

		making->offset = xreallocarray(making->offset, room, sizeof(*making->offset));
		memset(making->offset + making->offsets, 0,
		       (room - making->offsets) * sizeof(*making->offset));
		making->offsets = room;
	}
	if (making->offset[number])
		return making->offset[number];
	if (bytes > UINT32_MAX / 2 - image->text_bytes)
		return 0; /* too much: it has no name */
	if (image->text_bytes + bytes > making->text_room) {
		making->text_room = (making->text_room + bytes) * 2;
		image->text = xrealloc(image->text, making->text_room);
	}
	memcpy(image->text + image->text_bytes, text, bytes);
	making->offset[number] = image->text_bytes;
	image->text_bytes += (uint32_t)bytes;
	return making->offset[number];
}

static void put_frame(struct making *making, const struct symbol_frame *frame)
{
	making->image->entry[making->image->entries++] =
		(struct symbol_entry){ .function = put_text(making, frame->function),
				       .file = put_text(making, frame->file),
				       .line = frame->line };
}

static struct symbol_frame added_frame(const struct symbol_table *table, size_t at)
{
	const struct symbol_entry *entry = &table->entry[at];

	return (struct symbol_frame){ .function = name_pool_text(table->texts, entry->function),
				      .file = name_pool_text(table->texts, entry->file),
				      .line = entry->line };
}

static int compare_rows(const void *left, const void *right)
{
	const struct symbol_row *a = left, *b = right;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Rows have the entries of the image; those that were there come first. */
static void put_rows(const struct symbol_table *table, struct making *making)
{
	struct symbol_image *image = making->image;

	for (uint32_t i = 0; i < table->from.rows; i++) {
		const struct symbol_row *row = &table->from.row[i];

		image->row[image->rows++] =
			(struct symbol_row){ row->addr, image->entries, row->count };
		for (uint32_t k = 0; k < row->count; k++) {
			const struct symbol_frame frame =
				symbol_table_frame(table, row->first, (int)k);

			put_frame(making, &frame);
		}
	}
	for (size_t i = 0; i < table->rows; i++) {
		const struct symbol_row *row = &table->row[i];

		image->row[image->rows++] =
			(struct symbol_row){ row->addr, image->entries, row->count };
		for (uint32_t k = 0; k < row->count; k++) {
			const struct symbol_frame frame = added_frame(table, row->first + k);

			put_frame(making, &frame);
		}
	}
}

static void sort_rows(struct symbol_image *image)
{
	uint32_t kept = 0;

	if (image->rows)
		qsort(image->row, image->rows, sizeof(*image->row), compare_rows);
	for (uint32_t i = 0; i < image->rows; i++)
		if (!kept || image->row[kept - 1].addr != image->row[i].addr)
			image->row[kept++] = image->row[i];
	image->rows = kept;
}

static size_t count_entries(const struct symbol_table *table)
{
	size_t count = table->entries;

	for (uint32_t i = 0; i < table->from.rows; i++)
		count += table->from.row[i].count;
	return count;
}

void symbol_table_image(const struct symbol_table *table, struct symbol_image *image)
{
	struct making making = { .image = image, .text_room = 64 };

	*image = (struct symbol_image){ .text_bytes = 1 };
	making.texts = name_pool_new();
	image->text = xcalloc(1, making.text_room); /* the empty text comes first */
	image->row = xcalloc(table->from.rows + table->rows + 1, sizeof(*image->row));
	image->entry = xcalloc(count_entries(table) + 1, sizeof(*image->entry));
	image->why = put_text(&making, table->why);
	put_rows(table, &making);
	sort_rows(image);
	free(making.offset);
	name_pool_free(making.texts);
}

void symbol_image_release(struct symbol_image *image)
{
	free(image->row);
	free(image->entry);
	free(image->text);
	*image = (struct symbol_image){ .rows = 0 };
}
