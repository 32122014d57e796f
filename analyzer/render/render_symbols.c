/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"

static char *build_id(const struct module *module)
{
	return text_hex(module->build_id, module->build_id_bytes);
}

static struct number addresses(uint64_t count, const char *kind)
{
	struct number n = number_count(count);
	const size_t length = strlen(n.text);

	snprintf(n.text + length, sizeof(n.text) - length, " %saddress%s", kind,
		 count == 1 ? "" : "es");
	return n;
}

static void put_counts(FILE *out, const struct symbol_list_module *one)
{
	fprintf(out, "%s: %s with a function, %s with a line, %s with inlined calls\n",
		addresses(one->addresses, "distinct ").text, number_count(one->functions).text,
		number_count(one->lines).text, number_count(one->inlined).text);
}

static void put_line(FILE *out, const char *what, const char *text)
{
	if (!text)
		return;
	fprintf(out, "  %-12s ", what);
	text_put_clean(out, text);
	putc('\n', out);
}

static void put_module(FILE *out, const struct symbol_list_module *one)
{
	char *id = build_id(one->module);

	putc('\n', out);
	text_put_clean(out, one->module->path);
	fprintf(out, *id ? "  build ID %s\n" : "  no build ID\n", id);
	fputs("  ", out);
	put_counts(out, one);
	put_line(out, "file", one->file);
	put_line(out, "debug file", one->debug_file);
	put_line(out, "shared file", one->shared_file);
	if (one->bundled)
		fprintf(out, "  %-12s %s\n", "bundle", number_of(one->bundled, "name").text);
	if (one->cached)
		fprintf(out, "  %-12s %s\n", "kept", number_of(one->cached, "name").text);
	put_line(out, "no function", one->no_function);
	put_line(out, "no line", one->no_line);
	free(id);
}

void render_symbols_text(FILE *out, const struct symbol_list *list)
{
	uint64_t unused = 0;

	text_put_clean(out, trace_path(list->trace));
	fputs("  ", out);
	put_counts(out, &list->all);
	put_line(out, "bundle", symbolizer_bundle(list->symbolizer));
	for (size_t i = 0; i < list->warnings.count; i++)
		put_line(out, "warning", list->warnings.text[i]);
	for (size_t i = 0; i < list->modules; i++)
		if (list->module[i].addresses)
			put_module(out, &list->module[i]);
		else
			unused++;
	if (list->no_module)
		fprintf(out, "\nIn no module: %s, %s with a name\n",
			addresses(list->no_module, "").text,
			number_count(list->no_module_named).text);
	if (unused)
		fprintf(out, "\n%s no address in the trace\n",
			unused == 1 ? "1 more module has" : number_of(unused, "more module").text);
}

static json_t *make_module(const struct symbol_list_module *one)
{
	json_t *value = json_object();
	char *id = build_id(one->module);

	json_value_set(value, "path", json_value_text(one->module->path));
	json_value_set(value, "build_id", json_value_text(id));
	json_value_set(value, "base", json_value_hex(one->module->map_start));
	json_value_set(value, "addresses", json_value_count(one->addresses));
	json_value_set(value, "functions", json_value_count(one->functions));
	json_value_set(value, "lines", json_value_count(one->lines));
	json_value_set(value, "inlined", json_value_count(one->inlined));
	json_value_set(value, "cached", json_value_count(one->cached));
	json_value_set(value, "bundled", json_value_count(one->bundled));
	json_value_set(value, "file", json_value_text(one->file));
	json_value_set(value, "debug_file", json_value_text(one->debug_file));
	json_value_set(value, "shared_file", json_value_text(one->shared_file));
	json_value_set(value, "no_function", json_value_text(one->no_function));
	json_value_set(value, "no_line", json_value_text(one->no_line));
	free(id);
	return value;
}

static void put_json(FILE *out, json_t *value)
{
	char *text = json_value_dump(value, JSON_INDENT(2));

	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}

static json_t *make_object(const char *command)
{
	json_t *value = json_object();

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text(command));
	return value;
}

void render_symbols_json(FILE *out, const struct symbol_list *list)
{
	json_t *value = make_object("symbols"), *modules = json_array();

	json_value_set(value, "path", json_value_text(trace_path(list->trace)));
	json_value_set(value, "bundle", json_value_text(symbolizer_bundle(list->symbolizer)));
	json_value_set(value, "warnings",
		       json_value_texts(list->warnings.text, list->warnings.count));
	json_value_set(value, "addresses", json_value_count(list->all.addresses));
	json_value_set(value, "functions", json_value_count(list->all.functions));
	json_value_set(value, "lines", json_value_count(list->all.lines));
	json_value_set(value, "inlined", json_value_count(list->all.inlined));
	json_value_set(value, "cached", json_value_count(list->all.cached));
	json_value_set(value, "bundled", json_value_count(list->all.bundled));
	json_value_set(value, "no_module", json_value_count(list->no_module));
	json_value_set(value, "no_module_named", json_value_count(list->no_module_named));
	for (size_t i = 0; i < list->modules; i++)
		json_value_append(modules, make_module(&list->module[i]));
	json_value_set(value, "modules", modules);
	put_json(out, value);
}

void render_bundle_text(FILE *out, const struct bundle_facts *facts)
{
	text_put_clean(out, facts->to);
	fprintf(out, ": %s for %s of %s, from ", number_bytes(facts->bytes).text,
		addresses(facts->addresses, "").text, number_of(facts->modules, "module").text);
	text_put_clean(out, facts->from);
	putc('\n', out);
}

void render_bundle_json(FILE *out, const struct bundle_facts *facts)
{
	json_t *value = make_object("bundle-symbols");

	json_value_set(value, "from", json_value_text(facts->from));
	json_value_set(value, "to", json_value_text(facts->to));
	json_value_set(value, "modules", json_value_count(facts->modules));
	json_value_set(value, "addresses", json_value_count(facts->addresses));
	json_value_set(value, "bytes", json_value_count(facts->bytes));
	put_json(out, value);
}
