/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces, and what goes with them, for others: the work behind `anonymize` and `evidence pack
 * --anonymize`. docs/evidence.md says what is replaced. */
#ifndef XALLOC_CMD_ANONYMOUS_H
#define XALLOC_CMD_ANONYMOUS_H

#include "analyzer/base/err.h"
#include "analyzer/base/pseudonyms.h"
#include "analyzer/report/symbol_bundle.h"
#include "analyzer/trace/trace.h"

/* Writes the trace to a new file at path, called name in messages, and reads it again: the figures
 * are the same. -1 with a line in err: it is live, damaged, or the file cannot be written. */
int anonymous_trace(struct trace *trace, const char *path, const char *name,
		    const struct pseudonyms *pseudonyms, struct err *err);

/* Writes a result of xalloc rss to a new file. */
int anonymous_rss(const char *from, const char *to, const struct pseudonyms *pseudonyms,
		  struct err *err);

#endif
