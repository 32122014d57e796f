/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function symbols and the DWARF of one module of a trace, from its file, or from its separate
 * debug file (module_files.h).
 *
 * The first that exists is used: .symtab of the file, .symtab of the debug file, .dynsym of the
 * file with its mini symbols. Stubs of calls come to it. Of DWARF: the file's, the debug file's. A
 * debug file alone is enough when the trace has a build ID.
 */
#ifndef XALLOC_SYMBOLS_MODULE_SYMBOLS_H
#define XALLOC_SYMBOLS_MODULE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/symbols/inline_calls.h"
#include "analyzer/symbols/line_table.h"
#include "analyzer/symbols/module_files.h"
#include "analyzer/symbols/unit_table.h"

struct module_symbols;

/* The files are borrowed and must outlive the symbols. */
struct module_symbols *module_symbols_new(struct module_files *files);
void module_symbols_free(struct module_symbols *symbols); /* NULL is fine */

/*
 * The raw symbol of the function at a link-time address, or NULL. Where no symbol covers the ELF
 * entry point, code within 256 bytes of it that has none either is "_start" if .eh_frame says that
 * it has no caller, or says nothing.
 */
const char *module_symbols_find(const struct module_symbols *symbols, uint64_t addr);

struct module_dwarf {
	struct unit_table *units;
	struct line_table *lines;
	struct inline_calls *calls;
};

/* NULL: there is none. It is opened at the first call and lives as long as the symbols. */
const struct module_dwarf *module_symbols_dwarf(struct module_symbols *symbols);

/* To be called for each address that was looked for: now and then what was read of the files is
 * given back (file_pages.h). */
void module_symbols_rest(struct module_symbols *symbols);

/* Whether the DWARF that was opened has parts in files of their own (.dwo, .dwp), which are there
 * or not. */
bool module_symbols_is_split(const struct module_symbols *symbols);

#endif
