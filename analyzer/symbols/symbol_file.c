/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/symbol_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "analyzer/base/mem.h"

#define VERSION 1u
#define LEVEL 3
#define ALIGNMENT 8u

static const char magic[8] = { 'x', 'a', 's', 'y', 'm', 'b', 'o', 'l' };

struct file_head {
	char magic[8];
	uint32_t version;
	uint32_t tables;
};

/* Behind it key, rows, entries and texts, each from a multiple of ALIGNMENT. */
struct table_head {
	uint32_t key_bytes; /* with its NUL */
	uint32_t rows, entries;
	uint32_t text_bytes;
	uint32_t why; /* offset in the texts */
	uint32_t zero;
};

_Static_assert(sizeof(struct file_head) == 16 && sizeof(struct table_head) == 24 &&
		       sizeof(struct symbol_row) == 16 && sizeof(struct symbol_entry) == 16,
	       "the file's form");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's byte order is ours");

struct symbol_file {
	char *body;
	struct symbol_table **table;
	size_t tables;
};

struct cursor {
	const char *at;
	size_t left;
};

/* So many bytes, from here to the next multiple of ALIGNMENT; NULL: there are not so many. */
static const void *take(struct cursor *cursor, uint64_t bytes)
{
	const uint64_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	const char *at = cursor->at;

	if (whole > cursor->left)
		return NULL;
	cursor->at += whole;
	cursor->left -= (size_t)whole;
	return at;
}

static bool are_rows_right(const struct table_head *head, const struct symbol_row *row)
{
	for (uint32_t i = 0; i < head->rows; i++)
		if ((i && row[i].addr <= row[i - 1].addr) || row[i].count > SYMBOL_CHAIN_MAX ||
		    row[i].first > head->entries || row[i].count > head->entries - row[i].first)
			return false;
	return true;
}

static bool are_entries_right(const struct table_head *head, const struct symbol_entry *entry)
{
	for (uint32_t i = 0; i < head->entries; i++)
		if (entry[i].function >= head->text_bytes || entry[i].file >= head->text_bytes)
			return false;
	return true;
}

static struct symbol_table *read_table(struct cursor *cursor)
{
	const struct table_head *head = take(cursor, sizeof(*head));
	struct symbol_rows rows;
	const char *key;

	if (!head)
		return NULL;
	key = take(cursor, head->key_bytes);
	rows.row = take(cursor, (uint64_t)head->rows * sizeof(*rows.row));
	rows.entry = take(cursor, (uint64_t)head->entries * sizeof(*rows.entry));
	rows.text = take(cursor, head->text_bytes);
	rows.rows = head->rows;
	if (!key || !rows.row || !rows.entry || !rows.text || !head->key_bytes ||
	    key[head->key_bytes - 1] || !head->text_bytes || rows.text[head->text_bytes - 1] ||
	    head->why >= head->text_bytes || !are_rows_right(head, rows.row) ||
	    !are_entries_right(head, rows.entry))
		return NULL;
	return symbol_table_new(key, rows.text + head->why, &rows);
}

static int read_tables(struct symbol_file *file, size_t bytes, char **why)
{
	struct cursor cursor = { file->body, bytes };
	const struct file_head *head = take(&cursor, sizeof(*head));

	if (!head || memcmp(head->magic, magic, sizeof(magic))) {
		*why = xstrdup("it is no file of symbols");
		return -1;
	}
	if (head->version != VERSION) {
		*why = xasprintf("its version is %u, not %u", head->version, VERSION);
		return -1;
	}
	if (head->tables <= cursor.left / sizeof(struct table_head))
		file->table = xcalloc(head->tables + (size_t)1, sizeof(struct symbol_table *));
	for (uint32_t i = 0; file->table && i < head->tables; i++) {
		file->table[i] = read_table(&cursor);
		if (!file->table[i])
			break;
		file->tables++;
	}
	if (file->tables == head->tables && !cursor.left)
		return 0;
	*why = xstrdup("it is damaged");
	return -1;
}

static char *read_all(int fd, size_t bytes)
{
	char *data = xmalloc(bytes + 1);
	size_t done = 0;
	ssize_t got = 1;

	while (done < bytes && got > 0) {
		got = pread(fd, data + done, bytes - done, (off_t)done);
		if (got > 0)
			done += (size_t)got;
	}
	if (done == bytes)
		return data;
	free(data);
	return NULL;
}

/* Its bytes unpacked; the frame has a checksum of them. */
static char *unpack(int fd, uint64_t max, size_t *bytes, char **why)
{
	unsigned long long size;
	struct stat status;
	char *packed, *body = NULL;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		*why = xstrdup("it is no regular file");
		return NULL;
	}
	if ((uint64_t)status.st_size > max) {
		*why = xstrdup("it is too large");
		return NULL;
	}
	packed = read_all(fd, (size_t)status.st_size);
	if (!packed) {
		*why = xstrdup("it cannot be read");
		return NULL;
	}
	size = ZSTD_getFrameContentSize(packed, (size_t)status.st_size);
	/* a trace begins with a frame of no content */
	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
	    size < sizeof(struct file_head)) {
		*why = xstrdup("it is no file of symbols");
	} else if (size > max) {
		*why = xstrdup("it is too large");
	} else {
		body = xmalloc((size_t)size + 1);
		*bytes = ZSTD_decompress(body, (size_t)size, packed, (size_t)status.st_size);
		if (ZSTD_isError(*bytes)) {
			*why = xstrdup("it is damaged");
			free(body);
			body = NULL;
		}
	}
	free(packed);
	return body;
}

struct symbol_file *symbol_file_read(int fd, uint64_t max, char **why)
{
	struct symbol_file *file;
	size_t bytes;
	char *body = unpack(fd, max, &bytes, why);

	if (!body)
		return NULL;
	file = xcalloc(1, sizeof(*file));
	file->body = body;
	if (!read_tables(file, bytes, why))
		return file;
	symbol_file_free(file);
	return NULL;
}

void symbol_file_free(struct symbol_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->tables; i++)
		symbol_table_free(file->table[i]);
	free(file->table);
	free(file->body);
	free(file);
}

size_t symbol_file_count(const struct symbol_file *file)
{
	return file->tables;
}

struct symbol_table *symbol_file_table(const struct symbol_file *file, size_t i)
{
	return file->table[i];
}

struct symbol_table *symbol_file_find(const struct symbol_file *file, const char *key)
{
	for (size_t i = 0; i < file->tables; i++)
		if (!strcmp(symbol_table_key(file->table[i]), key))
			return file->table[i];
	return NULL;
}

static void put(FILE *body, const void *data, size_t bytes)
{
	static const char zeros[ALIGNMENT];

	fwrite(data, 1, bytes, body);
	fwrite(zeros, 1, (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT, body);
}

static void put_table(FILE *body, const struct symbol_table *table)
{
	const char *key = symbol_table_key(table);
	struct symbol_image image;
	struct table_head head;

	symbol_table_image(table, &image);
	head = (struct table_head){ .key_bytes = (uint32_t)strlen(key) + 1,
				    .rows = image.rows,
				    .entries = image.entries,
				    .text_bytes = image.text_bytes,
				    .why = image.why };
	put(body, &head, sizeof(head));
	put(body, key, head.key_bytes);
	put(body, image.row, image.rows * sizeof(*image.row));
	put(body, image.entry, image.entries * sizeof(*image.entry));
	put(body, image.text, image.text_bytes);
	symbol_image_release(&image);
}

/* Packs the body and writes that. */
static int write_packed(FILE *out, const char *body, size_t bytes)
{
	const size_t room = ZSTD_compressBound(bytes);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	char *packed = xmalloc(room);
	size_t size;
	int ret = -1;

	if (!context)
		out_of_memory(room);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size = ZSTD_compress2(context, packed, room, body, bytes);
	if (ZSTD_isError(size))
		errno = ENOMEM;
	else if (fwrite(packed, 1, size, out) == size && !fflush(out))
		ret = 0;
	ZSTD_freeCCtx(context);
	free(packed);
	return ret;
}

int symbol_file_write(FILE *out, struct symbol_table *const *table, size_t count, uint64_t max)
{
	struct file_head head = { .version = VERSION, .tables = (uint32_t)count };
	char *bytes = NULL;
	size_t size = 0;
	FILE *body = open_memstream(&bytes, &size);
	int ret = -1;

	if (!body)
		out_of_memory(sizeof(head));
	memcpy(head.magic, magic, sizeof(magic));
	put(body, &head, sizeof(head));
	for (size_t i = 0; i < count; i++)
		put_table(body, table[i]);
	if (fclose(body))
		out_of_memory(size);
	if (size <= max)
		ret = write_packed(out, bytes, size);
	else
		errno = EFBIG;
	free(bytes);
	return ret;
}
