/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source file and line of code, from the DWARF line tables of one ELF file.
 *
 * Which unit has an address is read from the ranges of the units themselves: not every compiler
 * writes .debug_aranges. A unit's line table is read when the first address in it is asked for.
 */
#ifndef XALLOC_SYMBOLS_LINE_TABLE_H
#define XALLOC_SYMBOLS_LINE_TABLE_H

#include <libelf.h>
#include <stdint.h>

struct source_line {
	/* As DWARF has it, behind the unit's directory when it is relative. "": not known. */
	const char *file;
	uint32_t line; /* 0: not known, or code that the compiler ascribes to no line */
};

struct line_table;

/* NULL when the file has no DWARF that tells of code. shared: the file that it shares parts with
 * (dwz), NULL: none. Both are borrowed and must outlive the table. */
struct line_table *line_table_new(Elf *elf, Elf *shared);
void line_table_free(struct line_table *table); /* NULL is fine */

/* The line at a link-time address. What is damaged is not known. The text lives as long as the
 * table. */
struct source_line line_table_find(struct line_table *table, uint64_t addr);

#endif
