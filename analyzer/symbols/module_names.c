/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/module_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "analyzer/symbols/address_map.h"
#include "analyzer/symbols/die_name.h"
#include "analyzer/symbols/inline_calls.h"
#include "analyzer/symbols/module_symbols.h"
#include "analyzer/base/name_pool.h"

struct module_names {
	const struct module *module;
	struct module_names_from from;
	struct module_files *files;     /* NULL: not opened */
	struct module_symbols *symbols; /* NULL: none, or not opened */
	bool has_symbols;               /* it was tried to open them */
	struct symbol_file *cached;     /* NULL: none */
	struct symbol_table *known; /* what is cached and what comes to it; NULL: nothing is kept */
	const struct symbol_table *bundle; /* NULL: none */
	bool is_bundle_short;              /* it was missed there, and said */
	struct name_pool *texts;
	struct address_map called; /* by die_name_key: the number of the name in texts */
	struct inline_chain dies; /* of the address at work */
	uint64_t cached_chains, bundled_chains;
};

char *module_names_key(const struct module *module)
{
	char *key = NULL, *id;
	size_t size = 0;
	FILE *out;

	if (module->build_id_bytes) {
		id = text_hex(module->build_id, module->build_id_bytes);
		key = xasprintf("build-id %s", id);
		free(id);
		return key;
	}
	out = open_memstream(&key, &size);
	if (!out)
		out_of_memory(size);
	fprintf(out, "file %s entry 0x%" PRIx64, module->path, module->entry);
	for (uint32_t i = 0; i < module->segments; i++)
		fprintf(out, " 0x%" PRIx64 "+0x%" PRIx64, module->segment[i].vaddr,
			module->segment[i].memory_bytes);
	if (fclose(out))
		out_of_memory(size);
	return key;
}

static void open_cached(struct module_names *names)
{
	char *own, *key;

	if (!names->from.cache)
		return;
	own = module_names_key(names->module);
	key = module_files_key(names->files, own);
	free(own);
	if (!key)
		return;
	names->cached = symbol_cache_read(names->from.cache, key);
	if (names->cached)
		names->known = symbol_file_table(names->cached, 0);
	else
		names->known = symbol_table_new(key, NULL, NULL);
	free(key);
}

static void open_bundle(struct module_names *names)
{
	char *key;

	if (!names->from.bundle)
		return;
	key = module_names_key(names->module);
	names->bundle = symbol_file_find(names->from.bundle, key);
	free(key);
}

struct module_names *module_names_new(const struct module *module,
				      const struct module_names_from *from)
{
	struct module_names *names = xcalloc(1, sizeof(*names));

	names->module = module;
	names->from = *from;
	names->texts = name_pool_new();
	return names;
}

static void open_all(struct module_names *names)
{
	names->files = module_files_new(names->module, names->from.search, names->from.warnings);
	open_bundle(names);
	open_cached(names);
	if (*module_names_why(names) && !module_files_is_vdso(names->module))
		warnings_add(names->from.warnings, "no function names for %s: %s",
			     names->module->path, module_names_why(names));
}

void module_names_free(struct module_names *names)
{
	if (!names)
		return;
	if (names->known && symbol_table_has_news(names->known) &&
	    !(names->symbols && module_symbols_is_split(names->symbols)))
		symbol_cache_write(names->from.cache, names->known);
	if (!names->cached)
		symbol_table_free(names->known);
	symbol_file_free(names->cached);
	module_symbols_free(names->symbols);
	module_files_free(names->files);
	address_map_release(&names->called);
	name_pool_free(names->texts);
	free(names);
}

/* False: it does not have the address. */
static bool find_in_table(const struct symbol_table *table, uint64_t addr, struct name_chain *chain)
{
	size_t at;
	const int count = table ? symbol_table_find(table, addr, &at) : -1;

	if (count < 1)
		return false;
	chain->count = (uint32_t)count;
	for (int i = 0; i < count; i++)
		chain->frame[i] = symbol_table_frame(table, at, i);
	return true;
}

/* The name of a DIE, built once for all with that key; "": none. */
static const char *name_die(struct module_names *names, Dwarf_Die *die, const void *key)
{
	uint32_t *number = address_map_make(&names->called, key);

	if (*number == ADDRESS_MAP_NONE) {
		char *text = die_name_build(die, false);

		*number = name_pool_add(names->texts, text ? text : "");
		free(text);
	}
	return name_pool_text(names->texts, *number);
}

/* Symbol tables say which function a compiler made, DWARF of which it made it. */
static const char *find_function(struct module_names *names, uint64_t addr)
{
	const char *symbol = module_symbols_find(names->symbols, addr);
	Dwarf_Die *die = &names->dies.die[0];

	if (symbol)
		return symbol;
	return names->dies.count ? name_die(names, die, die->addr) : "";
}

static void put_frame(struct name_chain *chain, const char *function, struct source_line line)
{
	chain->frame[chain->count++] =
		(struct symbol_frame){ .function = function, .file = line.file, .line = line.line };
}

/* The calls that are inlined, innermost first, then the function. A call of nothing is the caller's
 * own code, and what is inlined there as well. */
static void build_chain(struct module_names *names, const struct module_dwarf *dwarf, uint64_t addr,
			struct name_chain *chain)
{
	struct inline_chain *dies = &names->dies;
	const char *function[INLINE_DEPTH_MAX];
	uint32_t count = 1;

	function[0] = find_function(names, addr);
	for (; count < dies->count; count++) {
		Dwarf_Die *call = &dies->die[count];

		function[count] = name_die(names, call, die_name_key(call));
		if (!*function[count])
			break;
	}
	chain->count = 0;
	for (uint32_t i = count; i-- > 0;) {
		struct source_line line = { "", 0 };

		if (dwarf && i + 1 < count)
			line = line_table_call(dwarf->lines, &dies->call[i]);
		else if (dwarf)
			line = line_table_find(dwarf->lines, addr);
		put_frame(chain, function[i], line);
	}
}

static void find_in_files(struct module_names *names, uint64_t addr, struct name_chain *chain)
{
	const struct module_dwarf *dwarf;

	if (!names->has_symbols && module_files_has_any(names->files))
		names->symbols = module_symbols_new(names->files);
	names->has_symbols = true;
	*chain->frame = (struct symbol_frame){ "", "", 0 };
	chain->count = 1;
	if (!names->symbols)
		return;
	dwarf = module_symbols_dwarf(names->symbols);
	names->dies.count = 0;
	if (dwarf)
		inline_calls_find(dwarf->calls, addr, &names->dies);
	build_chain(names, dwarf, addr, chain);
	module_symbols_rest(names->symbols);
	if (names->known)
		symbol_table_add(names->known, addr, chain->frame, chain->count);
}

static bool knows_function(const struct name_chain *chain)
{
	return *chain->frame[chain->count - 1].function;
}

static bool knows_line(const struct name_chain *chain)
{
	return *chain->frame[0].file;
}

/* Takes the bundle's chain where it knows more. */
static void find_in_bundle(struct module_names *names, uint64_t addr, struct name_chain *chain)
{
	struct name_chain other;

	if (knows_function(chain) && knows_line(chain))
		return;
	if (!find_in_table(names->bundle, addr, &other)) {
		if (!names->is_bundle_short && !module_files_has_any(names->files))
			warnings_add(names->from.warnings,
				     "no function names for some addresses of %s: they are not in "
				     "the bundle",
				     names->module->path);
		names->is_bundle_short = true;
		return;
	}
	if ((knows_function(&other) || !knows_function(chain)) &&
	    (knows_line(&other) || !knows_line(chain)) &&
	    (knows_function(&other) != knows_function(chain) ||
	     knows_line(&other) != knows_line(chain))) {
		*chain = other;
		names->bundled_chains++;
	}
}

void module_names_find(struct module_names *names, uint64_t addr, struct name_chain *chain)
{
	if (!names->files)
		open_all(names);
	if (find_in_table(names->known, addr, chain))
		names->cached_chains++;
	else
		find_in_files(names, addr, chain);
	if (names->bundle)
		find_in_bundle(names, addr, chain);
}

const struct module *module_names_module(const struct module_names *names)
{
	return names->module;
}

struct module_files *module_names_files(const struct module_names *names)
{
	return names->files;
}

const char *module_names_why(const struct module_names *names)
{
	if (!names->files || module_files_has_any(names->files))
		return "";
	if (names->bundle) /* it knows what there was to know */
		return symbol_table_why(names->bundle);
	return module_files_why(names->files);
}

uint64_t module_names_cached(const struct module_names *names)
{
	return names->cached_chains;
}

uint64_t module_names_bundled(const struct module_names *names)
{
	return names->bundled_chains;
}
