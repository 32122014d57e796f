/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of one symbol table, to be found by link-time address.
 *
 * FUNC and GNU_IFUNC symbols come first. A NOTYPE symbol in a section of code (a label of
 * hand-written assembly) is taken only where no function is. A symbol with a size must contain the
 * address; one without reaches to the next symbol, at most to the end of its section. Of several
 * names for one address the choice is always the same: fewer leading underscores (newlocale, not
 * __newlocale), then global before weak before local, then the shorter, then the first by bytes.
 */
#ifndef XALLOC_SYMBOLS_FUNCTION_TABLE_H
#define XALLOC_SYMBOLS_FUNCTION_TABLE_H

#include <libelf.h>
#include <stdint.h>

struct function_table;

/* Reads the section of that type (SHT_SYMTAB or SHT_DYNSYM). NULL when the file has none, or an
 * empty one. The table's names are those of the file: `elf` must outlive it. */
struct function_table *function_table_new(Elf *elf, uint32_t section_type);
void function_table_free(struct function_table *table); /* NULL is fine */

/* The raw symbol name at a link-time address, or NULL. */
const char *function_table_find(const struct function_table *table, uint64_t addr);

#endif
