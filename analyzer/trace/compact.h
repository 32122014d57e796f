/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace, whole, written again in less room. */
#ifndef XALLOC_TRACE_COMPACT_H
#define XALLOC_TRACE_COMPACT_H

#include "analyzer/base/err.h"
#include "analyzer/trace/trace.h"

/* To a new file at path, which messages call name. All that the trace says is in it. -1 with a line
 * in err: the file cannot be written, or a chunk cannot be read; what was written is there then,
 * and of no use. */
int compact_write(struct trace *trace, const char *path, const char *name, struct err *err);

#endif
