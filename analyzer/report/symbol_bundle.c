/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/symbol_bundle.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/traced_addresses.h"

/* A file that was loaded several times is one. */
static struct symbol_table *find_table(struct symbol_bundle *bundle,
				       const struct symbolizer *symbolizer,
				       const struct module *module)
{
	char *key = module_names_key(module);
	struct symbol_table *found = NULL;

	for (size_t i = 0; i < bundle->tables && !found; i++)
		if (!strcmp(symbol_table_key(bundle->table[i]), key))
			found = bundle->table[i];
	if (!found) {
		found = symbol_table_new(
			key, module_names_why(symbolizer_module(symbolizer, module)), NULL);
		bundle->table = xreallocarray(bundle->table, bundle->tables + 1,
					      sizeof(struct symbol_table *));
		bundle->table[bundle->tables++] = found;
	}
	free(key);
	return found;
}

void symbol_bundle_build(struct symbol_bundle *bundle, const struct trace *trace,
			 const struct symbolizer_options *options)
{
	struct traced_addresses addresses;
	struct symbolizer *symbolizer;
	struct symbol_table *table = NULL;
	const struct module *module = NULL;
	struct name_chain chain;
	uint64_t addr;

	*bundle = (struct symbol_bundle){ .table = NULL };
	symbolizer = symbolizer_new(trace_modules(trace), trace_jit_names(trace), options,
				    &bundle->warnings);
	traced_addresses_build(&addresses, trace);
	for (size_t i = 0; i < addresses.count; i++) {
		const struct traced_address *one = &addresses.at[i];

		if (!one->module)
			continue;
		symbolizer_chain(symbolizer, one->entry, &chain, &addr);
		if (one->module != module)
			table = find_table(bundle, symbolizer, one->module);
		module = one->module;
		symbol_table_add(table, addr, chain.frame, chain.count);
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
