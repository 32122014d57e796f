/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a trace file. */
#ifndef XALLOC_TRACE_TRACE_HEADER_H
#define XALLOC_TRACE_TRACE_HEADER_H

#include "analyzer/base/err.h"
#include "analyzer/trace/trace_file.h"
#include "preload/trace/format.h"

/* -1 when the file is no trace, or of a version that we do not understand. Of what the fields
 * say only the checksums are compared: wrong, unless it is NULL, becomes what is damaged, or NULL.
 * boot_id ends in NUL. */
int trace_header_load(struct xt_header *header, const struct trace_file *file, const char *path,
		      const char **wrong, struct err *err);
/* The same of a file that is not open; err may be NULL. */
int trace_header_read(struct xt_header *header, const char *path, struct err *err);

#endif
