/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source file and line of code, from the DWARF line tables of one ELF file. A unit's line table is
 * read when the first address in it is asked for.
 */
#ifndef XALLOC_SYMBOLS_LINE_TABLE_H
#define XALLOC_SYMBOLS_LINE_TABLE_H

#include <stdint.h>

#include "analyzer/symbols/unit_table.h"

struct source_line {
	/* As DWARF has it, behind the unit's directory when it is relative. "": not known. */
	const char *file;
	uint32_t line; /* 0: not known, or code that the compiler ascribes to no line */
};

/* Where an inlined call stands, as its unit writes it. */
struct call_site {
	uint32_t unit; /* its number */
	uint32_t file; /* in the unit's list of files */
	uint32_t line;
};

struct line_table;

/* Borrows the units, which must outlive it. */
struct line_table *line_table_new(struct unit_table *units);
void line_table_free(struct line_table *table); /* NULL is fine */

/* The line at a link-time address, and of a call. What is damaged is not known. The texts live as
 * long as the table. */
struct source_line line_table_find(struct line_table *table, uint64_t addr);
struct source_line line_table_call(struct line_table *table, const struct call_site *call);

#endif
