/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stubs through which an x86-64 file calls functions of others: `malloc@plt`. No symbol table
 * has them. A stub of .plt, .plt.sec or .plt.got jumps through a word of memory; the relocation of
 * that word tells the function.
 */
#ifndef XALLOC_SYMBOLS_PLT_TABLE_H
#define XALLOC_SYMBOLS_PLT_TABLE_H

#include <libelf.h>
#include <stdint.h>

struct plt_table;

/* NULL when the file has no stub that can be named. It need not outlive the table. */
struct plt_table *plt_table_new(Elf *elf);
void plt_table_free(struct plt_table *table); /* NULL is fine */

/* "NAME@plt", NAME as the symbol is, at a link-time address, or NULL. Lives as long as the table.
 */
const char *plt_table_find(const struct plt_table *table, uint64_t addr);

#endif
