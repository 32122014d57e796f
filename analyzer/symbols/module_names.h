/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the addresses of one module are called, wherever that is known from: the cache of an earlier
 * report, the module's files, a bundle.
 *
 * The cache has what the files said, and stands for them as long as they are the same files
 * (module_files_key). A bundle is asked last, and counts only where it knows more: a function where
 * the files have none, or a line where they have none.
 */
#ifndef XALLOC_SYMBOLS_MODULE_NAMES_H
#define XALLOC_SYMBOLS_MODULE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/symbols/file_search.h"
#include "analyzer/symbols/module_files.h"
#include "analyzer/symbols/symbol_cache.h"
#include "analyzer/symbols/symbol_file.h"
#include "analyzer/symbols/symbol_table.h"
#include "analyzer/trace/module_map.h"

struct module_names;

struct module_names_from {
	const struct file_search *search;
	struct symbol_cache *cache;       /* NULL: none */
	const struct symbol_file *bundle; /* NULL: none */
	struct warnings *warnings; /* why there are no names, once; files that may not be used */
};

/* Opens nothing yet. What from has, and the module, must outlive what is returned. */
struct module_names *module_names_new(const struct module *module,
				      const struct module_names_from *from);
/* What was looked up goes into the cache. NULL is fine. */
void module_names_free(struct module_names *names);

/* Innermost first; the last one is the function itself, and may be without a name. */
struct name_chain {
	uint32_t count; /* at least 1 */
	struct symbol_frame frame[SYMBOL_CHAIN_MAX];
};

/* The chain at a link-time address. Its texts live as long as the names. */
void module_names_find(struct module_names *names, uint64_t addr, struct name_chain *chain);

/* The module that it was made for. */
const struct module *module_names_module(const struct module_names *names);
/* The files that are open once something was looked up; NULL: nothing was. */
struct module_files *module_names_files(const struct module_names *names);
/* Why the module has no names at all, in words; "": it has some, or nothing was looked up. */
const char *module_names_why(const struct module_names *names);
/* How many chains the cache and the bundle gave. */
uint64_t module_names_cached(const struct module_names *names);
uint64_t module_names_bundled(const struct module_names *names);

/* The key under which a bundle has the module: its build ID, or without one its path and layout.
 * Owned by the caller. */
char *module_names_key(const struct module *module);

#endif
