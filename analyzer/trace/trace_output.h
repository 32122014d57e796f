/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A compact trace as it is written: header, chunks, totals. */
#ifndef XALLOC_TRACE_TRACE_OUTPUT_H
#define XALLOC_TRACE_TRACE_OUTPUT_H

#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/err.h"
#include "preload/trace/format.h"

struct trace_output;

/* A new file at path, for its owner only, which there must not be: -1 with a line in err, which calls it name. The
 * header is that of the trace that is made compact, but for what it says of how it is written.
 * level is zstd's. */
int trace_output_open(struct trace_output **out, const char *path, const char *name,
		      const struct xt_header *header, int level, struct err *err);
/* meta: all but zstd_bytes; raw_bytes of payload. */
void trace_output_chunk(struct trace_output *out, struct xt_meta meta, const uint8_t *payload);
/* With the totals behind it all; ids: frame ids given out. -1 when something could not be written.
 * The file is closed either way, and out gone. */
int trace_output_close(struct trace_output *out, uint64_t ids, struct err *err);

#endif
