/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/module_symbols.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/symbols/file_pages.h"
#include "analyzer/symbols/function_table.h"
#include "analyzer/symbols/mini_symbols.h"
#include "analyzer/symbols/module_files.h"
#include "analyzer/symbols/plt_table.h"

#define READS_MAX 128u  /* addresses whose pages are kept */
#define ENTRY_BYTES 256 /* start-up code without unwind information is at most so long */

struct module_symbols {
	struct module_files *files;
	struct function_table *table; /* NULL: no function symbols at all */
	struct function_table *more;  /* what the mini symbols have; NULL: none */
	struct mini_symbols mini;
	struct plt_table *stubs; /* NULL: none */
	uint64_t entry;
	Dwarf_CFI *cfi; /* .eh_frame, read for the entry point only; NULL: none */
	struct module_dwarf dwarf;
	bool has_looked_for_dwarf;
	const struct elf_file *read, *read_shared; /* of the DWARF; the latter may be NULL */
	uint32_t reads;                            /* addresses that were looked for in it */
};

/* A file that is cut short may say nothing of any function's caller. */
static void read_entry(struct module_symbols *symbols, const struct elf_file *file)
{
	GElf_Ehdr head;

	if (!gelf_getehdr(file->elf, &head) || !head.e_entry || elf_file_is_cut(file))
		return;
	symbols->entry = head.e_entry;
	symbols->cfi = dwarf_getcfi_elf(file->elf);
}

struct module_symbols *module_symbols_new(struct module_files *files)
{
	struct module_symbols *symbols = xcalloc(1, sizeof(*symbols));
	const struct elf_file *file = module_files_main(files), *debug;

	symbols->files = files;
	if (file) {
		read_entry(symbols, file);
		symbols->table = function_table_new(file->elf, SHT_SYMTAB);
	}
	if (!symbols->table && (debug = module_files_debug(symbols->files)))
		symbols->table = function_table_new(debug->elf, SHT_SYMTAB);
	if (!symbols->table && file) {
		symbols->table = function_table_new(file->elf, SHT_DYNSYM);
		mini_symbols_open(&symbols->mini, file->elf);
		if (symbols->mini.elf)
			symbols->more = function_table_new(symbols->mini.elf, SHT_SYMTAB);
	}
	if (file)
		symbols->stubs = plt_table_new(file->elf);
	return symbols;
}

void module_symbols_free(struct module_symbols *symbols)
{
	if (!symbols)
		return;
	line_table_free(symbols->dwarf.lines);
	inline_calls_free(symbols->dwarf.calls);
	unit_table_free(symbols->dwarf.units);
	function_table_free(symbols->table);
	function_table_free(symbols->more);
	mini_symbols_close(&symbols->mini);
	plt_table_free(symbols->stubs);
	if (symbols->cfi)
		dwarf_cfi_end(symbols->cfi);
	free(symbols);
}

/* Start-up code says in its unwind information that it has no caller, or has no such information at
 * all. */
static bool has_no_caller(Dwarf_CFI *cfi, uint64_t addr)
{
	Dwarf_Op buffer[3], *ops;
	Dwarf_Frame *frame;
	Dwarf_Addr start, end;
	size_t count;
	bool signal, ret;
	int return_register;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		return true;
	return_register = dwarf_frame_info(frame, &start, &end, &signal);
	ret = return_register >= 0 &&
	      !dwarf_frame_register(frame, return_register, buffer, &ops, &count) && !count &&
	      ops == buffer; /* libdw's way to say "undefined" */
	free(frame);
	return ret;
}

static const char *find_function(const struct module_symbols *symbols, uint64_t addr)
{
	const char *name = symbols->table ? function_table_find(symbols->table, addr) : NULL;

	return name || !symbols->more ? name : function_table_find(symbols->more, addr);
}

static bool is_entry_code(const struct module_symbols *symbols, uint64_t addr)
{
	return symbols->entry && addr >= symbols->entry && addr - symbols->entry < ENTRY_BYTES &&
	       !find_function(symbols, symbols->entry) && has_no_caller(symbols->cfi, addr);
}

const char *module_symbols_find(const struct module_symbols *symbols, uint64_t addr)
{
	const char *name = find_function(symbols, addr);

	if (!name && symbols->stubs)
		name = plt_table_find(symbols->stubs, addr);
	if (!name && is_entry_code(symbols, addr))
		name = "_start";
	return name;
}

static struct unit_table *open_units_of(struct module_symbols *symbols, const struct elf_file *file)
{
	const struct elf_file *shared = file ? module_files_shared(symbols->files, file) : NULL;

	symbols->read = file;
	symbols->read_shared = shared;
	return file ? unit_table_new(file->elf, shared ? shared->elf : NULL) : NULL;
}

static struct unit_table *open_units(struct module_symbols *symbols)
{
	struct unit_table *units = open_units_of(symbols, module_files_main(symbols->files));

	return units ? units : open_units_of(symbols, module_files_debug(symbols->files));
}

const struct module_dwarf *module_symbols_dwarf(struct module_symbols *symbols)
{
	struct module_dwarf *dwarf = &symbols->dwarf;

	if (!symbols->has_looked_for_dwarf) {
		symbols->has_looked_for_dwarf = true;
		dwarf->units = open_units(symbols);
		if (dwarf->units) {
			dwarf->lines = line_table_new(dwarf->units);
			dwarf->calls = inline_calls_new(dwarf->units);
		}
	}
	return dwarf->units ? dwarf : NULL;
}

void module_symbols_rest(struct module_symbols *symbols)
{
	if (!symbols->dwarf.units || symbols->reads++ % READS_MAX)
		return;
	file_pages_give(&symbols->read->status);
	if (symbols->read_shared)
		file_pages_give(&symbols->read_shared->status);
}

bool module_symbols_is_split(const struct module_symbols *symbols)
{
	return symbols->dwarf.units && unit_table_is_split(symbols->dwarf.units);
}
