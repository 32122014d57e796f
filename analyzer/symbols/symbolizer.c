/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/symbolizer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/page_table.h"
#include "analyzer/symbols/demangle.h"
#include "analyzer/symbols/module_symbols.h"
#include "analyzer/symbols/name_pool.h"

/* A module's symbols, opened when its first frame is asked for. */
struct module_slot {
	struct module_symbols *symbols; /* NULL: none */
	bool is_opened;
};

struct symbolizer {
	const struct module_map *map;
	const struct jit_names *jit_names;
	struct module jit; /* what such frames lie in */
	struct symbolizer_options options;
	struct warnings *warnings;
	struct name_pool *pool;
	struct frame_name *truncated, *elided, *undefined;
	struct module_slot *slot; /* one for each module of the map, by position */
	struct page_table cache; /* struct frame_name *, by frame id */
	uint32_t frames; /* named so far */
};

const char *module_base_name(const struct module *module)
{
	const char *slash = strrchr(module->path, '/');

	return slash ? slash + 1 : module->path;
}

/* The kernel's own module has no file: that is no news to anybody. */
static bool is_vdso(const struct module *module)
{
	return !strncmp(module->path, "linux-vdso.so", strlen("linux-vdso.so")) ||
	       !strncmp(module->path, "[vdso]", strlen("[vdso]"));
}

/* The slot of a module of the map, which is in the order of their indices. */
static struct module_slot *find_slot(const struct symbolizer *s, const struct module *module)
{
	size_t low = 0, high = module_map_count(s->map);

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (module_map_get(s->map, middle)->index <= module->index)
			low = middle;
		else
			high = middle;
	}
	return &s->slot[low];
}

static struct module_symbols *open_symbols(struct symbolizer *s, const struct module *module)
{
	struct module_slot *slot = find_slot(s, module);
	char *why = NULL;

	if (slot->is_opened)
		return slot->symbols;
	slot->is_opened = true;
	if (is_vdso(module))
		return NULL;
	slot->symbols = module_symbols_new(module, &s->options.search, s->warnings, &why);
	if (!slot->symbols)
		warnings_add(s->warnings, "no function names for %s: %s", module->path, why);
	free(why);
	return slot->symbols;
}

static void set_text(struct symbolizer *s, struct frame_name *name, char *text)
{
	name->name = name_pool_add(s->pool, text);
	name->function = name_pool_text(s->pool, name->name);
	free(text);
}

static void name_address(struct symbolizer *s, struct frame_name *name, uint32_t id,
			 const struct xt_id *frame)
{
	/* into the call, not behind it */
	const uint64_t back = frame->flags & XT_IDF_EXACT ? 0 : 1;
	const struct module *module = module_map_find(s->map, frame->epoch, frame->pc - back);
	const struct module_symbols *symbols;
	const char *symbol = NULL;

	if (!module) {
		name->offset = frame->pc;
		symbol = jit_names_find(s->jit_names, id);
		if (symbol) {
			name->module = &s->jit;
			name->has_symbol = true;
			set_text(s, name, xstrdup(symbol));
			return;
		}
		set_text(s, name, xasprintf("[unknown]+0x%" PRIx64, frame->pc));
		return;
	}
	name->module = module;
	name->offset = frame->pc - module->load_bias;
	name->lookup = name->offset - back;
	symbols = open_symbols(s, module);
	if (symbols)
		symbol = module_symbols_find(symbols, name->lookup);
	name->has_symbol = symbol != NULL;
	if (symbol)
		set_text(s, name, demangle_symbol(symbol, s->options.demangle));
	else
		set_text(s, name,
			 xasprintf("%s+0x%" PRIx64, module_base_name(module), name->offset));
}

static struct frame_name *new_name(struct symbolizer *s)
{
	struct frame_name *name = xcalloc(1, sizeof(*name));

	name->number = s->frames++;
	return name;
}

static struct frame_name *build_reserved(struct symbolizer *s, const char *text)
{
	struct frame_name *name = new_name(s);

	set_text(s, name, xstrdup(text));
	return name;
}

static struct frame_name *build_name(struct symbolizer *s, uint32_t id, const struct xt_id *frame)
{
	struct frame_name *name = new_name(s);

	name_address(s, name, id, frame);
	return name;
}

struct symbolizer *symbolizer_new(const struct module_map *map,
				  const struct jit_names *names,
				  const struct symbolizer_options *options,
				  struct warnings *warnings)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->map = map;
	s->jit_names = names;
	s->jit.path = xstrdup("[jit]");
	s->options = *options;
	s->warnings = warnings;
	s->pool = name_pool_new();
	page_table_init(&s->cache, sizeof(struct frame_name *));
	s->slot = xcalloc(module_map_count(map) + 1, sizeof(*s->slot));
	s->truncated = build_reserved(s, "[truncated]");
	s->elided = build_reserved(s, "[frames elided]");
	s->undefined = build_reserved(s, "[unknown]");
	return s;
}

static void free_page(struct frame_name **name)
{
	for (uint32_t i = 0; name && i < PAGE_TABLE_ENTRIES; i++)
		free(name[i]);
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < module_map_count(s->map); i++)
		module_symbols_free(s->slot[i].symbols);
	for (uint32_t i = 0; i < s->cache.pages; i++)
		free_page((struct frame_name **)s->cache.page[i]);
	page_table_release(&s->cache);
	free(s->truncated);
	free(s->elided);
	free(s->undefined);
	free(s->slot);
	free(s->jit.path);
	name_pool_free(s->pool);
	free(s);
}

const struct frame_name *symbolizer_get(struct symbolizer *s, uint32_t id,
					const struct xt_id *frame)
{
	struct frame_name **name;

	if (id == XT_ID_TRUNCATED)
		return s->truncated;
	if (id == XT_ID_ELIDED)
		return s->elided;
	if (!frame)
		return s->undefined;
	name = page_table_make(&s->cache, id);
	if (!*name)
		*name = build_name(s, id, frame);
	return *name;
}

struct source_line symbolizer_line(struct symbolizer *s, const struct frame_name *frame)
{
	struct module_symbols *symbols = NULL;

	if (frame->module && frame->module != &s->jit)
		symbols = open_symbols(s, frame->module);
	if (!symbols)
		return (struct source_line){ "", 0 };
	return module_symbols_line(symbols, frame->lookup);
}

uint32_t symbolizer_name_count(const struct symbolizer *s)
{
	return name_pool_count(s->pool);
}

const char *symbolizer_name_text(const struct symbolizer *s, uint32_t name)
{
	return name_pool_text(s->pool, name);
}
