/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbol tables in a file: a bundle beside a trace has one for each module, a file of the cache
 * one. The form is in docs/symbols.md, "The file". It is input from anywhere: all of it is checked
 * when it is read.
 */
#ifndef XALLOC_SYMBOLS_SYMBOL_FILE_H
#define XALLOC_SYMBOLS_SYMBOL_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/symbols/symbol_table.h"

#define SYMBOL_BUNDLE_MAX ((uint64_t)1 << 30) /* bytes of a bundle in memory */

struct symbol_file;

/* Reads a regular file that is open, of at most max bytes in memory. NULL with *why in words, owned
 * by the caller: it is none of ours, of another version, damaged or too large. */
struct symbol_file *symbol_file_read(int fd, uint64_t max, char **why);
void symbol_file_free(struct symbol_file *file); /* its tables too; NULL is fine */

size_t symbol_file_count(const struct symbol_file *file);
struct symbol_table *symbol_file_table(const struct symbol_file *file, size_t i);
/* The table with that key; NULL: none. */
struct symbol_table *symbol_file_find(const struct symbol_file *file, const char *key);

/* Writes tables to an open file, with what was added to them. -1: it cannot be written, errno says
 * why; it is EFBIG when they take more than max bytes in memory, which no reader would take. */
int symbol_file_write(FILE *out, struct symbol_table *const *table, size_t count, uint64_t max);

#endif
