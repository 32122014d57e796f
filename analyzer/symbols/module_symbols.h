/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function symbols and source lines of one module of a trace, from its file, or from its
 * separate debug file (module_files.h).
 *
 * The first that exists is used: .symtab of the file, .symtab of the debug file, .dynsym of the
 * file. For lines: DWARF of the file, DWARF of the debug file. A debug file alone is enough when
 * the trace has a build ID.
 */
#ifndef XALLOC_SYMBOLS_MODULE_SYMBOLS_H
#define XALLOC_SYMBOLS_MODULE_SYMBOLS_H

#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/symbols/file_search.h"
#include "analyzer/symbols/line_table.h"
#include "analyzer/trace/module_map.h"

struct module_symbols;

/* NULL when no file of the module's identity is there, with *why in words, owned by the caller.
 * All three are borrowed and must outlive what is returned. */
struct module_symbols *module_symbols_new(const struct module *module,
					  const struct file_search *search,
					  struct warnings *warnings, char **why);
void module_symbols_free(struct module_symbols *symbols); /* NULL is fine */

/*
 * The raw symbol of the function at a link-time address, or NULL. Code within 256 bytes of the ELF
 * entry point that no symbol covers is "_start" where .eh_frame says that it has no caller, or says
 * nothing.
 */
const char *module_symbols_find(const struct module_symbols *symbols, uint64_t addr);

/* The source line at a link-time address; its text lives as long as the symbols. DWARF is opened
 * at the first call. */
struct source_line module_symbols_line(struct module_symbols *symbols, uint64_t addr);

#endif
