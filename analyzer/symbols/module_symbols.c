/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/module_symbols.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/symbols/elf_file.h"
#include "analyzer/symbols/function_table.h"
#include "analyzer/symbols/line_table.h"

#define ENTRY_BYTES 256 /* start-up code without unwind information is at most so long */

struct module_symbols {
	const struct module *module;
	const char *debug_dir;
	struct elf_file file, debug; /* fd -1: not there */
	struct function_table *table; /* NULL: no function symbols at all */
	uint64_t entry;
	Dwarf_CFI *cfi; /* .eh_frame, read for the entry point only; NULL: none */
	struct line_table *lines; /* NULL: none */
	bool has_looked_for_lines;
};

static bool open_file(struct module_symbols *symbols, const struct module *module, char **why)
{
	if (elf_file_open(&symbols->file, module->path, why)) {
		symbols->file.fd = -1;
		return false;
	}
	if (elf_file_check(&symbols->file, module, why)) {
		elf_file_close(&symbols->file);
		return false;
	}
	return true;
}

static void read_entry(struct module_symbols *symbols)
{
	GElf_Ehdr head;

	if (!gelf_getehdr(symbols->file.elf, &head) || !head.e_entry)
		return;
	symbols->entry = head.e_entry;
	symbols->cfi = dwarf_getcfi_elf(symbols->file.elf);
}

struct module_symbols *module_symbols_new(const struct module *module, const char *debug_dir,
					  char **why)
{
	struct module_symbols *symbols = xcalloc(1, sizeof(*symbols));
	const bool has_file = open_file(symbols, module, why);

	symbols->module = module;
	symbols->debug_dir = debug_dir;
	symbols->debug.fd = -1;
	if (has_file) {
		read_entry(symbols);
		symbols->table = function_table_new(symbols->file.elf, SHT_SYMTAB);
	}
	if (!symbols->table && !elf_file_open_debug(&symbols->debug, module, debug_dir))
		symbols->table = function_table_new(symbols->debug.elf, SHT_SYMTAB);
	if (!symbols->table && has_file)
		symbols->table = function_table_new(symbols->file.elf, SHT_DYNSYM);
	if (!symbols->table && !has_file) {
		module_symbols_free(symbols);
		return NULL;
	}
	if (!has_file)
		free(*why); /* the debug file was enough */
	*why = NULL;
	return symbols;
}

void module_symbols_free(struct module_symbols *symbols)
{
	if (!symbols)
		return;
	line_table_free(symbols->lines);
	function_table_free(symbols->table);
	if (symbols->cfi)
		dwarf_cfi_end(symbols->cfi);
	if (symbols->debug.fd >= 0)
		elf_file_close(&symbols->debug);
	if (symbols->file.fd >= 0)
		elf_file_close(&symbols->file);
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

static bool is_entry_code(const struct module_symbols *symbols, uint64_t addr)
{
	return symbols->entry && addr >= symbols->entry && addr - symbols->entry < ENTRY_BYTES &&
	       has_no_caller(symbols->cfi, addr);
}

const char *module_symbols_find(const struct module_symbols *symbols, uint64_t addr)
{
	const char *name = symbols->table ? function_table_find(symbols->table, addr) : NULL;

	if (!name && is_entry_code(symbols, addr))
		name = "_start";
	return name;
}

static void open_lines(struct module_symbols *symbols)
{
	if (symbols->file.fd >= 0)
		symbols->lines = line_table_new(symbols->file.elf);
	if (symbols->lines)
		return;
	if (symbols->debug.fd < 0 &&
	    elf_file_open_debug(&symbols->debug, symbols->module, symbols->debug_dir)) {
		symbols->debug.fd = -1;
		return;
	}
	symbols->lines = line_table_new(symbols->debug.elf);
}

struct source_line module_symbols_line(struct module_symbols *symbols, uint64_t addr)
{
	if (!symbols->has_looked_for_lines)
		open_lines(symbols);
	symbols->has_looked_for_lines = true;
	if (!symbols->lines)
		return (struct source_line){ "", 0 };
	return line_table_find(symbols->lines, addr);
}
