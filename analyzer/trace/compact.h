/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace, whole, written again in less room. */
#ifndef XALLOC_TRACE_COMPACT_H
#define XALLOC_TRACE_COMPACT_H

#include <stdbool.h>

#include "analyzer/base/err.h"
#include "analyzer/trace/trace.h"
#include "analyzer/trace/trace_output.h"

/* What is written in another way (anonymize.h). */
struct compact_edit {
	const struct xt_header *header;
	/* A chunk of events in columns: the payload, from malloc, may be replaced. False: it is
	 * damaged, or would be too large. */
	bool (*columns)(void *owner, uint8_t **payload, struct xt_meta *meta);
	/* All records, in place of the trace's. */
	int (*records)(void *owner, struct trace_output *out, struct err *err);
	void *owner;
};

/* To a new file at path, which messages call name. All that the trace says is in it. edit: NULL, or
 * but for what it changes. -1 with a line in err: the file cannot be written, or a chunk cannot be
 * read; what was written is there then, and of no use. */
int compact_write(struct trace *trace, const char *path, const char *name,
		  const struct compact_edit *edit, struct err *err);

/* For model/drop.c. The bytes that a chunk of one of so many streams may have. */
uint32_t compact_limit(size_t streams);
int compact_set_damaged(const struct trace *trace, uint64_t offset, const char *wrong,
			struct err *err);
/* All chunks but those of events; *ids: frame ids given out. */
int compact_copy_rest(struct trace *trace, struct trace_output *out, uint64_t *ids,
		      struct err *err);

#endif
