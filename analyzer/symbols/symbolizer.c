/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/symbolizer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/page_table.h"
#include "analyzer/symbols/demangle.h"
#include "analyzer/symbols/die_name.h"
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
	struct frame_name **frame; /* by number */
	uint32_t frames, room;
	const struct frame_name *truncated, *elided, *undefined;
	struct module_slot *slot;  /* one for each module of the map, by position */
	struct page_table cache;   /* const struct frame_name *, the innermost, by frame id */
	struct inline_chain chain; /* of the address at work */
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

static struct frame_name *new_frame(struct symbolizer *s)
{
	struct frame_name *frame = xcalloc(1, sizeof(*frame));

	if (s->frames == s->room) {
		s->room = s->room * 2 + 256;
		s->frame = xreallocarray(s->frame, s->room, sizeof(*s->frame));
	}
	frame->number = s->frames;
	s->frame[s->frames++] = frame;
	return frame;
}

static const struct frame_name *build_reserved(struct symbolizer *s, const char *text)
{
	struct frame_name *frame = new_frame(s);

	set_text(s, frame, xstrdup(text));
	return frame;
}

static void name_without_module(struct symbolizer *s, struct frame_name *frame, uint32_t id,
				uint64_t pc)
{
	const char *symbol = jit_names_find(s->jit_names, id);

	frame->offset = pc;
	if (!symbol) {
		set_text(s, frame, xasprintf("[unknown]+0x%" PRIx64, pc));
		return;
	}
	frame->module = &s->jit;
	frame->has_symbol = true;
	set_text(s, frame, xstrdup(symbol));
}

/* Symbol tables say which function a compiler made, DWARF of which it made it. */
static char *build_name(struct symbolizer *s, const struct module_symbols *symbols, uint64_t addr)
{
	const char *symbol = module_symbols_find(symbols, addr);

	if (symbol)
		return demangle_symbol(symbol, s->options.demangle);
	return s->chain.count ? die_name_build(&s->chain.die[0], s->options.demangle) : NULL;
}

/* The frames of the inlined calls, from the physical one inwards. Returns the innermost. */
static struct frame_name *add_inlined(struct symbolizer *s, struct frame_name *frame)
{
	for (uint32_t i = 1; i < s->chain.count; i++) {
		char *text = die_name_build(&s->chain.die[i], s->options.demangle);
		struct frame_name *inner;

		if (!text) /* a call of nothing is the caller's own code */
			break;
		inner = new_frame(s);
		inner->module = frame->module;
		inner->offset = frame->offset;
		inner->lookup = frame->lookup;
		inner->has_symbol = true;
		inner->outer = frame;
		set_text(s, inner, text);
		frame->call = s->chain.call[i - 1];
		frame->has_inner = true;
		frame = inner;
	}
	return frame;
}

static const struct frame_name *build_frames(struct symbolizer *s, uint32_t id,
					     const struct xt_id *entry)
{
	/* into the call, not behind it */
	const uint64_t back = entry->flags & XT_IDF_EXACT ? 0 : 1;
	const struct module *module = module_map_find(s->map, entry->epoch, entry->pc - back);
	struct frame_name *frame = new_frame(s);
	struct module_symbols *symbols;
	const struct module_dwarf *dwarf;
	char *text = NULL;

	if (!module) {
		name_without_module(s, frame, id, entry->pc);
		return frame;
	}
	frame->module = module;
	frame->offset = entry->pc - module->load_bias;
	frame->lookup = frame->offset - back;
	s->chain.count = 0;
	symbols = open_symbols(s, module);
	dwarf = symbols ? module_symbols_dwarf(symbols) : NULL;
	if (dwarf)
		inline_calls_find(dwarf->calls, frame->lookup, &s->chain);
	if (symbols)
		text = build_name(s, symbols, frame->lookup);
	frame->has_symbol = text != NULL;
	if (!text)
		text = xasprintf("%s+0x%" PRIx64, module_base_name(module), frame->offset);
	set_text(s, frame, text);
	return add_inlined(s, frame);
}

struct symbolizer *symbolizer_new(const struct module_map *map, const struct jit_names *names,
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
	page_table_init(&s->cache, sizeof(const struct frame_name *));
	s->slot = xcalloc(module_map_count(map) + 1, sizeof(*s->slot));
	s->truncated = build_reserved(s, "[truncated]");
	s->elided = build_reserved(s, "[frames elided]");
	s->undefined = build_reserved(s, "[unknown]");
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < module_map_count(s->map); i++)
		module_symbols_free(s->slot[i].symbols);
	for (uint32_t i = 0; i < s->frames; i++)
		free(s->frame[i]);
	free(s->frame);
	page_table_release(&s->cache);
	free(s->slot);
	free(s->jit.path);
	name_pool_free(s->pool);
	free(s);
}

const struct frame_name *symbolizer_get(struct symbolizer *s, uint32_t id,
					const struct xt_id *frame)
{
	const struct frame_name **innermost;

	if (id == XT_ID_TRUNCATED)
		return s->truncated;
	if (id == XT_ID_ELIDED)
		return s->elided;
	if (!frame)
		return s->undefined;
	innermost = page_table_make(&s->cache, id);
	if (!*innermost)
		*innermost = build_frames(s, id, frame);
	return *innermost;
}

const struct frame_name *symbolizer_frame(const struct symbolizer *s, uint32_t number)
{
	return s->frame[number];
}

struct source_line symbolizer_line(struct symbolizer *s, const struct frame_name *frame)
{
	const struct module_dwarf *dwarf = NULL;
	struct module_symbols *symbols = NULL;

	if (frame->module && frame->module != &s->jit)
		symbols = open_symbols(s, frame->module);
	if (symbols)
		dwarf = module_symbols_dwarf(symbols);
	if (!dwarf)
		return (struct source_line){ "", 0 };
	if (frame->has_inner)
		return line_table_call(dwarf->lines, &frame->call);
	return line_table_find(dwarf->lines, frame->lookup);
}

uint32_t symbolizer_name_count(const struct symbolizer *s)
{
	return name_pool_count(s->pool);
}

const char *symbolizer_name_text(const struct symbolizer *s, uint32_t name)
{
	return name_pool_text(s->pool, name);
}
