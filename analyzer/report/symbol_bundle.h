/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all addresses of a trace are called, to be kept beside it (symbols/symbol_file.h). */
#ifndef XALLOC_REPORT_SYMBOL_BUNDLE_H
#define XALLOC_REPORT_SYMBOL_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/pseudonyms.h"
#include "analyzer/base/warnings.h"
#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/trace.h"

struct symbol_bundle {
	struct symbol_table **table; /* one for each file that has addresses in the trace */
	size_t tables;
	uint64_t addresses;
	struct warnings warnings;
};

/* The trace, and what options point to, are not needed any more when it is built. pseudonyms: NULL,
 * or what is in it is for a trace that anonymize_write wrote with the same; functions have then one
 * other name for each that is shown, demangled, but for main and those that start a program or
 * thread, which reports look for. */
void symbol_bundle_build(struct symbol_bundle *bundle, const struct trace *trace,
			 const struct symbolizer_options *options,
			 const struct pseudonyms *pseudonyms);
void symbol_bundle_release(struct symbol_bundle *bundle);

#endif
