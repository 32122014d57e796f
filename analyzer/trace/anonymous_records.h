/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a trace for others: anonymize.h. */
#ifndef XALLOC_TRACE_ANONYMOUS_RECORDS_H
#define XALLOC_TRACE_ANONYMOUS_RECORDS_H

#include "analyzer/base/err.h"
#include "analyzer/base/pseudonyms.h"
#include "analyzer/trace/trace.h"
#include "analyzer/trace/trace_output.h"

/* Writes chunks with all of them, each once. -1 with a line in err: one cannot be read. */
int anonymous_records_write(struct trace *trace, const struct pseudonyms *pseudonyms,
			    struct trace_output *out, struct err *err);

/* The value of what may change how a process allocates, NAME=VALUE: what tells of machine and
 * allocator stays, and a number or a word that everybody has; all else is replaced. Owned by the
 * caller. */
char *anonymous_value(const struct pseudonyms *pseudonyms, const char *name, const char *value);

#endif
