/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What addresses of one module are called, once they were looked up: an address has a chain of
 * frames, the innermost inlined call first and the function itself last; or an empty one, when it
 * is known to have no name. Names are as the files have them, not demangled.
 *
 * A table is made empty, or from a file (symbol_file.h); further addresses are added behind.
 */
#ifndef XALLOC_SYMBOLS_SYMBOL_TABLE_H
#define XALLOC_SYMBOLS_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A chain is no longer; what is beyond that is no chain of ours. */
#define SYMBOL_CHAIN_MAX 512u

struct symbol_frame {
	const char *function; /* "": not known */
	const char *file;     /* "": not known */
	uint32_t line;        /* 0: not known */
};

/* The form in which rows and frames are kept and written: little endian, see docs/symbols.md. */
struct symbol_row {
	uint64_t addr;  /* at link time, the byte that is looked up */
	uint32_t first; /* of its frames */
	uint32_t count;
};
struct symbol_entry {
	uint32_t function, file; /* offsets in the texts */
	uint32_t line;
	uint32_t zero;
};

/* What a table was made from, checked; it outlives the table. */
struct symbol_rows {
	const struct symbol_row *row; /* by addr, each once */
	const struct symbol_entry *entry;
	const char *text; /* ends with a NUL */
	uint32_t rows;
};

struct symbol_table;

/* The key says whose it is. why: in words, why the module has no names, NULL or "": it has. Both
 * are copied, from is not; NULL: empty. */
struct symbol_table *symbol_table_new(const char *key, const char *why,
				      const struct symbol_rows *from);
void symbol_table_free(struct symbol_table *table); /* NULL is fine */

const char *symbol_table_key(const struct symbol_table *table);
const char *symbol_table_why(const struct symbol_table *table); /* "": it has names */
/* Whether anything was added. */
bool symbol_table_has_news(const struct symbol_table *table);

/* The chain of an address that the table was made with, count frames of it; -1: it was not. */
int symbol_table_find(const struct symbol_table *table, uint64_t addr, size_t *at);
/* The i-th frame of a chain; texts live as long as the table. */
struct symbol_frame symbol_table_frame(const struct symbol_table *table, size_t at, int i);

/* Texts are copied. An address that is there already may be added again. */
void symbol_table_add(struct symbol_table *table, uint64_t addr, const struct symbol_frame *frame,
		      uint32_t count);

/* All of it as one: what it was made with, and what was added. Rows by address, each once. Entries
 * and texts are of a new order. Release with symbol_image_release. */
struct symbol_image {
	struct symbol_row *row;
	struct symbol_entry *entry;
	char *text;
	uint32_t rows, entries, text_bytes;
	uint32_t why; /* offset of that text */
};
void symbol_table_image(const struct symbol_table *table, struct symbol_image *image);
void symbol_image_release(struct symbol_image *image);

#endif
