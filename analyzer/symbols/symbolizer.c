/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/name_pool.h"
#include "analyzer/base/page_table.h"
#include "analyzer/symbols/demangle.h"

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
	struct module_names *
		*names;             /* one for each module of the map, by position; NULL: not yet */
	struct symbol_cache *kept;  /* NULL: none */
	struct symbol_file *bundle; /* NULL: none */
	char *bundle_path;
	struct page_table cache; /* const struct frame_name *, the innermost, by frame id */
	struct name_chain chain; /* of the address at work */
	/* Symbols as files have them, and by their numbers the names that are shown, each + 1. */
	struct name_pool *raw;
	uint32_t *shown, shown_room;
};

const char *module_base_name(const struct module *module)
{
	const char *slash = strrchr(module->path, '/');

	return slash ? slash + 1 : module->path;
}

/* Where in the map a module is, which has them in the order of their indices. */
static size_t find_position(const struct module_map *map, const struct module *module)
{
	size_t low = 0, high = module_map_count(map);

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (module_map_get(map, middle)->index <= module->index)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The same file, loaded again: what its addresses are called is the same. */
static bool is_same_file(const struct module *a, const struct module *b)
{
	if (strcmp(a->path, b->path) || a->build_id_bytes != b->build_id_bytes)
		return false;
	if (a->build_id_bytes)
		return !memcmp(a->build_id, b->build_id, a->build_id_bytes);
	return a->entry == b->entry && a->segments == b->segments &&
	       (!a->segments ||
		!memcmp(a->segment, b->segment, a->segments * sizeof(*a->segment)));
}

static struct module_names *find_same(const struct symbolizer *s, const struct module *module)
{
	for (size_t i = 0; i < module_map_count(s->map); i++)
		if (s->names[i] && is_same_file(module_map_get(s->map, i), module))
			return s->names[i];
	return NULL;
}

static struct module_names *get_names(struct symbolizer *s, const struct module *module)
{
	const struct module_names_from from = { .search = &s->options.search,
						.cache = s->kept,
						.bundle = s->bundle,
						.warnings = s->warnings };
	struct module_names **names = &s->names[find_position(s->map, module)];

	if (!*names)
		*names = find_same(s, module);
	if (!*names)
		*names = module_names_new(module, &from);
	return *names;
}

static void set_text(struct symbolizer *s, struct frame_name *name, char *text)
{
	name->name = name_pool_add(s->pool, text);
	name->function = name_pool_text(s->pool, name->name);
	free(text);
}

/* A symbol is demangled once, however many addresses have it. */
static void set_symbol(struct symbolizer *s, struct frame_name *frame, const char *symbol)
{
	const uint32_t number = name_pool_add(s->raw, symbol);

	if (number >= s->shown_room) {
		const uint32_t room = number * 2 + 256;

		s->shown = xreallocarray(s->shown, room, sizeof(*s->shown));
		memset(s->shown + s->shown_room, 0, (room - s->shown_room) * sizeof(*s->shown));
		s->shown_room = room;
	}
	if (!s->shown[number]) {
		set_text(s, frame, demangle_symbol(symbol, s->options.demangle));
		s->shown[number] = frame->name + 1;
	}
	frame->name = s->shown[number] - 1;
	frame->function = name_pool_text(s->pool, frame->name);
	frame->has_symbol = true;
}

static struct frame_name *new_frame(struct symbolizer *s)
{
	struct frame_name *frame = xcalloc(1, sizeof(*frame));

	if (s->frames == s->room) {
		s->room = s->room * 2 + 256;
		s->frame = xreallocarray(s->frame, s->room, sizeof(*s->frame));
	}
	frame->number = s->frames;
	frame->line.file = "";
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

static struct frame_name *add_frame(struct symbolizer *s, const struct frame_name *physical,
				    const struct symbol_frame *from)
{
	struct frame_name *frame = new_frame(s);

	frame->module = physical->module;
	frame->offset = physical->offset;
	frame->line = (struct source_line){ from->file, from->line };
	if (*from->function)
		set_symbol(s, frame, from->function);
	else
		set_text(
			s, frame,
			xasprintf("%s+0x%" PRIx64, module_base_name(frame->module), frame->offset));
	return frame;
}

const struct module *symbolizer_chain(struct symbolizer *s, const struct xt_id *entry,
				      struct name_chain *chain, uint64_t *addr)
{
	/* into the call, not behind it */
	const uint64_t pc = entry->pc - (entry->flags & XT_IDF_EXACT ? 0 : 1);
	const struct module *module = module_map_find(s->map, entry->epoch, pc);

	if (!module)
		return NULL;
	*addr = pc - module->load_bias;
	module_names_find(get_names(s, module), *addr, chain);
	return module;
}

/* The physical frame first, each further one within the one before. */
static const struct frame_name *build_frames(struct symbolizer *s, uint32_t id,
					     const struct xt_id *entry)
{
	struct frame_name address = { .module = NULL }, *frame = NULL;
	uint64_t addr;

	address.module = symbolizer_chain(s, entry, &s->chain, &addr);
	if (!address.module) {
		frame = new_frame(s);
		name_without_module(s, frame, id, entry->pc);
		return frame;
	}
	address.offset = entry->pc - address.module->load_bias;
	for (uint32_t i = s->chain.count; i-- > 0;) {
		struct frame_name *inner = add_frame(s, &address, &s->chain.frame[i]);

		inner->outer = frame;
		frame = inner;
	}
	return frame;
}

/* That there is none beside a trace is no news. */
static void open_bundle(struct symbolizer *s)
{
	const struct symbolizer_options *options = &s->options;
	char *why = NULL;
	int fd;

	if (options->bundle)
		s->bundle_path = xstrdup(options->bundle);
	else if (options->trace)
		s->bundle_path = xasprintf("%s.symbols", options->trace);
	else
		return;
	fd = open(s->bundle_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		s->bundle = symbol_file_read(fd, SYMBOL_BUNDLE_MAX, &why);
		close(fd);
	} else if (options->bundle || errno != ENOENT) {
		why = xstrdup(strerror(errno));
	}
	if (why)
		warnings_add(s->warnings, "%s is not used: %s", s->bundle_path, why);
	free(why);
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
	s->raw = name_pool_new();
	s->names = xcalloc(module_map_count(map) + 1, sizeof(struct module_names *));
	open_bundle(s);
	s->kept = options->has_cache ? symbol_cache_open() : NULL;
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
		if (s->names[i] && module_names_module(s->names[i]) == module_map_get(s->map, i))
			module_names_free(s->names[i]);
	symbol_cache_close(s->kept);
	symbol_file_free(s->bundle);
	free(s->bundle_path);
	for (uint32_t i = 0; i < s->frames; i++)
		free(s->frame[i]);
	free(s->frame);
	page_table_release(&s->cache);
	free(s->names);
	free(s->shown);
	name_pool_free(s->raw);
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

const char *symbolizer_bundle(const struct symbolizer *s)
{
	return s->bundle ? s->bundle_path : NULL;
}

const struct module_names *symbolizer_module(const struct symbolizer *s,
					     const struct module *module)
{
	return s->names[find_position(s->map, module)];
}

uint32_t symbolizer_name_count(const struct symbolizer *s)
{
	return name_pool_count(s->pool);
}

const char *symbolizer_name_text(const struct symbolizer *s, uint32_t name)
{
	return name_pool_text(s->pool, name);
}
