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
	uint64_t lookup; /* offset, or the byte before it, which is still of the call */
	bool has_symbol;
	/* The frame of the same address that this one is inlined into; NULL: it is the physical
	 * one. */
	const struct frame_name *outer;
	struct call_site call; /* where in it the next inner one is; the symbolizer's own */
	bool has_inner;
};

struct symbolizer_options {
	struct file_search search;
	bool demangle;
};

/* Map, names and warnings are borrowed and must outlive the symbolizer; why a module has no names
 * is added to the warnings, once a module, when a frame of it is first asked for. */
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

/* Where in the source a frame of the symbolizer is. Not kept: each call looks it up. The text lives
 * as long as the symbolizer. */
struct source_line symbolizer_line(struct symbolizer *symbolizer, const struct frame_name *frame);

/* All names given so far: numbers from 0 to count - 1, and the text of one. */
uint32_t symbolizer_name_count(const struct symbolizer *symbolizer);
const char *symbolizer_name_text(const struct symbolizer *symbolizer, uint32_t name);

/* The file name of a module without its directories; part of its path. */
const char *module_base_name(const struct module *module);

#endif
