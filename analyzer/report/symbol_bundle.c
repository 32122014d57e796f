/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/symbol_bundle.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/strlist.h"
#include "analyzer/report/startup.h"
#include "analyzer/report/traced_addresses.h"
#include "analyzer/symbols/demangle.h"
#include "analyzer/trace/anonymize.h"

static char *key_of(const struct module *module, const struct pseudonyms *pseudonyms)
{
	struct module other;
	char *key;

	if (!pseudonyms)
		return module_names_key(module);
	other = anonymize_module(module, pseudonyms);
	key = module_names_key(&other);
	free(other.path);
	free(other.build_id);
	return key;
}

/* A file that was loaded several times is one. */
static struct symbol_table *find_table(struct symbol_bundle *bundle,
				       const struct symbolizer *symbolizer,
				       const struct module *module,
				       const struct pseudonyms *pseudonyms)
{
	char *key = key_of(module, pseudonyms);
	struct symbol_table *found = NULL;

	for (size_t i = 0; i < bundle->tables && !found; i++)
		if (!strcmp(symbol_table_key(bundle->table[i]), key))
			found = bundle->table[i];
	if (!found) {
		const char *why = module_names_why(symbolizer_module(symbolizer, module));

		found = symbol_table_new(key, *why && pseudonyms ? "no file had any" : why, NULL);
		bundle->table = xreallocarray(bundle->table, bundle->tables + 1,
					      sizeof(struct symbol_table *));
		bundle->table[bundle->tables++] = found;
	}
	free(key);
	return found;
}

static char *other_function(const char *function, const struct pseudonyms *pseudonyms)
{
	char *shown = demangle_symbol(function, true), *other;

	other = startup_knows(shown) ? xstrdup(shown) : pseudonym_name(pseudonyms, 'f', shown);
	free(shown);
	return other;
}

static void add(struct symbol_table *table, uint64_t addr, struct name_chain *chain,
		const struct pseudonyms *pseudonyms)
{
	struct strlist texts = { .text = NULL };

	for (uint32_t i = 0; pseudonyms && i < chain->count; i++) {
		struct symbol_frame *frame = &chain->frame[i];
		char *function = other_function(frame->function, pseudonyms);
		char *file = pseudonym_path(pseudonyms, frame->file);

		frame->function = function;
		frame->file = file;
		strlist_take(&texts, function);
		strlist_take(&texts, file);
	}
	symbol_table_add(table, addr, chain->frame, chain->count);
	strlist_release(&texts);
}

void symbol_bundle_build(struct symbol_bundle *bundle, const struct trace *trace,
			 const struct symbolizer_options *options,
			 const struct pseudonyms *pseudonyms)
{
	struct traced_addresses addresses;
	struct symbolizer *symbolizer;
	struct symbol_table *table = NULL;
	const struct module *module = NULL;
	struct name_chain chain;
	uint64_t addr;

	*bundle = (struct symbol_bundle){ .table = NULL };
	traced_addresses_warn(trace, &bundle->warnings);
	symbolizer = symbolizer_new(trace_modules(trace), trace_jit_names(trace), options,
				    &bundle->warnings);
	traced_addresses_build(&addresses, trace);
	for (size_t i = 0; i < addresses.count; i++) {
		const struct traced_address *one = &addresses.at[i];

		if (!one->module)
			continue;
		symbolizer_chain(symbolizer, one->entry, &chain, &addr);
		if (one->module != module)
			table = find_table(bundle, symbolizer, one->module, pseudonyms);
		module = one->module;
		add(table, addr, &chain, pseudonyms);
		bundle->addresses++;
	}
	traced_addresses_release(&addresses);
	symbolizer_free(symbolizer);
}

void symbol_bundle_release(struct symbol_bundle *bundle)
{
	for (size_t i = 0; i < bundle->tables; i++)
		symbol_table_free(bundle->table[i]);
	free(bundle->table);
	warnings_release(&bundle->warnings);
}
