/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compilation units of one ELF file's DWARF, to be found by the code that is theirs.
 *
 * Which unit has an address is read from the ranges of the units themselves: not every compiler
 * writes .debug_aranges.
 */
#ifndef XALLOC_SYMBOLS_UNIT_TABLE_H
#define XALLOC_SYMBOLS_UNIT_TABLE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/symbols/code_ranges.h"

struct unit {
	uint32_t number; /* dense, from 0 */
	Dwarf_Die die;   /* has the line table */
	Dwarf_Die tree; /* has the functions: the same, or with split DWARF that of the .dwo file */
};

struct unit_table;

/* NULL when the file has no DWARF that tells of code. shared: the file that it shares parts with
 * (dwz), NULL: none. Both are borrowed and must outlive the table. */
struct unit_table *unit_table_new(Elf *elf, Elf *shared);
void unit_table_free(struct unit_table *table); /* NULL is fine */

/* Whether a unit refers to a .dwo or .dwp file, be it there or not. */
bool unit_table_is_split(const struct unit_table *table);

size_t unit_table_count(const struct unit_table *table);
struct unit *unit_table_get(const struct unit_table *table, uint32_t number);

/* The units around a link-time address, one after the other; in a sound file there is one. */
struct range_search unit_table_search(const struct unit_table *table, uint64_t addr);
struct unit *unit_table_next(const struct unit_table *table, struct range_search *search,
			     uint64_t addr); /* NULL: no more */

#endif
