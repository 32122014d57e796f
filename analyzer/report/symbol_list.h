/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of each module of a trace: how many of its addresses have names, from which files, and why others
 * have none. A pure result; render/ writes it.
 */
#ifndef XALLOC_REPORT_SYMBOL_LIST_H
#define XALLOC_REPORT_SYMBOL_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/trace.h"

struct symbol_list_module {
	const struct module *module;
	uint64_t addresses; /* distinct ones in the trace; those below are of them */
	uint64_t functions; /* with a function's name */
	uint64_t lines;     /* with a source file and line */
	uint64_t inlined;   /* with inlined calls */
	const char *file, *debug_file, *shared_file; /* that are used; NULL: none */
	/* Why the rest has no function, no line; NULL: there is no rest. */
	const char *no_function, *no_line;
	uint64_t cached, bundled; /* that an earlier report, and the bundle, knew */
};

struct symbol_list {
	const struct trace *trace;
	struct symbolizer *symbolizer;
	struct symbol_list_module *module; /* in the order of the trace */
	size_t modules;
	struct symbol_list_module all; /* the sums of the counts */
	uint64_t no_module,
		no_module_named; /* addresses; the latter with a name of the trace's own */
	struct warnings warnings;
};

/* Looks all of them up. The trace, and what options point to, must outlive the list. */
void symbol_list_build(struct symbol_list *list, const struct trace *trace,
		       const struct symbolizer_options *options);
void symbol_list_release(struct symbol_list *list);

#endif
