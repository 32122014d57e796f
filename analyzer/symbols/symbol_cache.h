/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What addresses of files are called, kept from one report to the next, a file for each key in
 * $XDG_CACHE_HOME/xalloc (~/.cache/xalloc). A key must say all that the names depend on.
 *
 * Nothing here fails: what cannot be read is not there, what cannot be written is not kept. Reports
 * that run at once do no harm: a file is replaced as a whole, and each is right. The directory must
 * be the user's own, and nobody else's to write, else there is no cache. It is kept below 256 MiB:
 * what was not used for longest goes.
 */
#ifndef XALLOC_SYMBOLS_SYMBOL_CACHE_H
#define XALLOC_SYMBOLS_SYMBOL_CACHE_H

#include "analyzer/symbols/symbol_file.h"

struct symbol_cache;

/* NULL: there is none. */
struct symbol_cache *symbol_cache_open(void);
void symbol_cache_close(struct symbol_cache *cache); /* NULL is fine */

/* What is kept under the key, one table; NULL: nothing. symbol_file_free. */
struct symbol_file *symbol_cache_read(const struct symbol_cache *cache, const char *key);
/* Keeps the table, with what was added to it, under its key. */
void symbol_cache_write(struct symbol_cache *cache, struct symbol_table *table);

#endif
