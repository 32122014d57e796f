/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the frames of a trace to the names that are shown.
 */
#ifndef XALLOC_SYMBOLS_SYMBOLIZER_H
#define XALLOC_SYMBOLS_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/symbols/file_search.h"
#include "analyzer/symbols/line_table.h"
#include "analyzer/symbols/module_names.h"
#include "analyzer/symbols/symbol_file.h"
#include "analyzer/trace/jit_names.h"
#include "analyzer/trace/module_map.h"
#include "preload/trace/format.h"

struct symbolizer;

/*
 * One frame as it is shown. It lives as long as the symbolizer. An address has one physical frame,
 * and within that the frames of the calls that are inlined there.
 */
struct frame_name {
	uint32_t number; /* its own, dense, from 0 in the order of first use */
	/*
	 * The function, demangled if asked; "module+0xOFFSET" without a symbol; "[unknown]+0xPC"
	 * without a module and a name of the trace's own; "[truncated]" and "[frames elided]" for
	 * the reserved frames.
	 */
	const char *function;
	uint32_t name;               /* number of that text: equal for equal texts */
	const struct module *module; /* NULL: none known; of code with a name of the trace's own it
					is called [jit], and none of the map's */
	/* The return address at link time; without a module the pc; 0 for reserved frames. */
	uint64_t offset;
	bool has_symbol;
	struct source_line line; /* where in the source it is */
	/* The frame of the same address that this one is inlined into; NULL: it is the physical
	 * one. */
	const struct frame_name *outer;
};

struct symbolizer_options {
	struct file_search search;
	/* What files do not tell may be in a bundle. NULL: in the one beside the trace, which is
	 * called as it is, and ".symbols" behind. */
	const char *bundle;
	const char *trace; /* its path; NULL: none, then there is no bundle beside it either */
	bool has_cache;    /* names are kept from one report to the next (symbol_cache.h) */
	bool demangle;
};

/* Map, names, warnings and what options point to are borrowed and must outlive the symbolizer; why
 * a module has no names is added to the warnings, once a module, when a frame of it is first asked
 * for. */
struct symbolizer *symbolizer_new(const struct module_map *map, const struct jit_names *names,
				  const struct symbolizer_options *options,
				  struct warnings *warnings);
void symbolizer_free(struct symbolizer *symbolizer); /* NULL is fine */

/* The innermost frame at frame id `id`, whose entry in the trace's table is `frame` (NULL: it has
 * none; then the name is "[unknown]", unless the id is a reserved one); `outer` leads to the
 * others. Looked up once and kept. */
const struct frame_name *symbolizer_get(struct symbolizer *symbolizer, uint32_t id,
					const struct xt_id *frame);

/* The physical frame of an address. */
static inline const struct frame_name *frame_name_physical(const struct frame_name *frame)
{
	while (frame->outer)
		frame = frame->outer;
	return frame;
}

/* A frame by its number, which symbolizer_get gave. */
const struct frame_name *symbolizer_frame(const struct symbolizer *symbolizer, uint32_t number);

/* The chain of an entry of the trace's table, not demangled, and the link-time address that it was
 * looked up by. Returns its module; NULL: it has none. */
const struct module *symbolizer_chain(struct symbolizer *symbolizer, const struct xt_id *entry,
				      struct name_chain *chain, uint64_t *addr);

/* The bundle that is used; NULL: none. */
const char *symbolizer_bundle(const struct symbolizer *symbolizer);

/* Where the names of a module of the map are from; NULL: none of its addresses was looked up. */
const struct module_names *symbolizer_module(const struct symbolizer *symbolizer,
					     const struct module *module);

/* All names given so far: numbers from 0 to count - 1, and the text of one. */
uint32_t symbolizer_name_count(const struct symbolizer *symbolizer);
const char *symbolizer_name_text(const struct symbolizer *symbolizer, uint32_t name);

/* The file name of a module without its directories; part of its path. */
const char *module_base_name(const struct module *module);

#endif
