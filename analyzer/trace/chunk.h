/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a chunk: read, decompressed, checked. */
#ifndef XALLOC_TRACE_CHUNK_H
#define XALLOC_TRACE_CHUNK_H

#include <stdint.h>

#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/trace_file.h"

struct chunk {
	uint8_t *bytes; /* the chunk's own; chunk_release */
	uint32_t size;
	uint64_t base, first_stamp;
	uint32_t events;
	uint32_t thread, tid;
};

/* What reading needs and can be used again. */
struct chunk_reader;

struct chunk_reader *chunk_reader_new(const struct trace_file *file,
				      const struct chunk_index *index);
void chunk_reader_free(struct chunk_reader *reader);

/* NULL, or in a few words what is wrong with it, valid until the next call; then the chunk holds
 * nothing. */
const char *chunk_load(struct chunk_reader *reader, const struct chunk_ref *ref,
		       struct chunk *chunk);
void chunk_release(struct chunk *chunk);

#endif
