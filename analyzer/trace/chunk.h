/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a chunk: read, decompressed, checked. */
#ifndef XALLOC_TRACE_CHUNK_H
#define XALLOC_TRACE_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/trace_file.h"
#include "preload/trace/codec.h"

struct chunk {
	uint8_t *bytes; /* the chunk's own; chunk_release */
	uint32_t size;
	bool is_columns; /* it begins with struct xt_columns */
	uint64_t base, first_stamp;
	uint64_t last_stamp; /* 0 of a slot */
	uint32_t events;
	uint32_t stream, thread, tid;
};

/* What reading needs and can be used again. */
struct chunk_reader;

struct chunk_reader *chunk_reader_new(const struct trace_file *file,
				      const struct chunk_index *index);
void chunk_reader_free(struct chunk_reader *reader);

#define CHUNK_WRONG_BYTES 80 /* of those words, with the NUL */

/* NULL, or in a few words what is wrong with it, valid until the next call; then the chunk holds
 * nothing. */
const char *chunk_load(struct chunk_reader *reader, const struct chunk_ref *ref,
		       struct chunk *chunk);
void chunk_release(struct chunk *chunk);

/* The columns of a chunk that is_columns, XT_COLUMNS of them. False: they are not as long as their
 * head says. */
bool chunk_columns(const struct chunk *chunk, struct xt_cursor *column);

#endif
