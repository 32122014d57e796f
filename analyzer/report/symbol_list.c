/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/symbol_list.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/traced_addresses.h"

/* Where the names of a module come from, as far as files go. */
struct sources {
	const struct elf_file *main, *debug;
};

static bool has_section(const struct sources *from, const char *name)
{
	size_t bytes;

	return (from->main && elf_file_section(from->main, name, &bytes)) ||
	       (from->debug && elf_file_section(from->debug, name, &bytes));
}

static const char *why_no_function(const struct sources *from)
{
	if (!from->main && !from->debug)
		return "the bundle has none, and there are no files";
	if (!has_section(from, ".symtab") && !from->debug)
		return "the file is stripped, and there is no debug file for it";
	if (!has_section(from, ".symtab"))
		return "neither the file nor its debug file has all symbols";
	return "no symbol covers these addresses";
}

static const char *why_no_line(const struct sources *from)
{
	if (!from->main && !from->debug)
		return "the bundle has none, and there are no files";
	if (!has_section(from, ".debug_line") && !from->debug)
		return "the file has no DWARF, and there is no debug file for it";
	if (!has_section(from, ".debug_line"))
		return "neither the file nor its debug file has DWARF";
	return "DWARF does not cover these addresses";
}

static void find_sources(struct symbol_list_module *to, const struct module_names *names)
{
	struct module_files *files = module_names_files(names);
	const struct sources from = { module_files_main(files), module_files_debug(files) };
	const struct elf_file *shared = NULL;
	const char *why = module_names_why(names);

	if (from.main)
		shared = module_files_shared(files, from.main);
	if (!shared && from.debug)
		shared = module_files_shared(files, from.debug);
	to->file = from.main ? from.main->path : NULL;
	to->debug_file = from.debug ? from.debug->path : NULL;
	to->shared_file = shared ? shared->path : NULL;
	to->cached = module_names_cached(names);
	to->bundled = module_names_bundled(names);
	if (to->functions < to->addresses)
		to->no_function = *why ? why : why_no_function(&from);
	if (to->lines < to->addresses)
		to->no_line = *why ? why : why_no_line(&from);
}

static void count_chain(struct symbol_list_module *to, const struct name_chain *chain)
{
	to->addresses++;
	to->functions += *chain->frame[chain->count - 1].function != '\0';
	to->lines += *chain->frame[0].file && chain->frame[0].line;
	to->inlined += chain->count > 1;
}

static void count_sums(struct symbol_list *list)
{
	for (size_t i = 0; i < list->modules; i++) {
		const struct symbol_list_module *one = &list->module[i];

		list->all.addresses += one->addresses;
		list->all.functions += one->functions;
		list->all.lines += one->lines;
		list->all.inlined += one->inlined;
		list->all.cached += one->cached;
		list->all.bundled += one->bundled;
	}
	list->all.addresses += list->no_module;
	list->all.functions += list->no_module_named;
}

/* Addresses come module by module, and modules in the map's order. */
static void look_up(struct symbol_list *list, const struct traced_addresses *addresses)
{
	struct symbol_list_module *to = list->module;
	struct name_chain chain;
	uint64_t addr;

	for (size_t i = 0; i < addresses->count; i++) {
		const struct traced_address *one = &addresses->at[i];

		if (!one->module) {
			list->no_module++;
			list->no_module_named +=
				jit_names_find(trace_jit_names(list->trace), one->id) != NULL;
			continue;
		}
		while (to->module != one->module)
			to++;
		symbolizer_chain(list->symbolizer, one->entry, &chain, &addr);
		count_chain(to, &chain);
	}
}

void symbol_list_build(struct symbol_list *list, const struct trace *trace,
		       const struct symbolizer_options *options)
{
	const struct module_map *map = trace_modules(trace);
	struct traced_addresses addresses;

	*list = (struct symbol_list){ .trace = trace, .modules = module_map_count(map) };
	traced_addresses_warn(trace, &list->warnings);
	list->symbolizer = symbolizer_new(map, trace_jit_names(trace), options, &list->warnings);
	list->module = xcalloc(list->modules + 1, sizeof(*list->module));
	for (size_t i = 0; i < list->modules; i++)
		list->module[i].module = module_map_get(map, i);
	traced_addresses_build(&addresses, trace);
	look_up(list, &addresses);
	traced_addresses_release(&addresses);
	for (size_t i = 0; i < list->modules; i++)
		if (list->module[i].addresses)
			find_sources(&list->module[i],
				     symbolizer_module(list->symbolizer, list->module[i].module));
	count_sums(list);
}

void symbol_list_release(struct symbol_list *list)
{
	symbolizer_free(list->symbolizer);
	free(list->module);
	warnings_release(&list->warnings);
}
