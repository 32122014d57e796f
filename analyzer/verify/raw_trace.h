/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace file as verify sees it: its frames, one after the other. */
#ifndef XALLOC_VERIFY_RAW_TRACE_H
#define XALLOC_VERIFY_RAW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/verify/verify.h"
#include "preload/trace/format.h"

/* A chunk frame, or a slot of a live window that holds something. */
struct raw_chunk {
	uint64_t offset;     /* of its metadata frame; a slot: of its bytes */
	struct xt_meta meta; /* a slot: what its chunk's would be; last_stamp unknown */
	bool is_slot;
	bool is_columns; /* the bytes begin with struct xt_columns; meta.kind is that of events */
};

struct raw_trace {
	int fd;
	uint64_t size;
	bool is_live; /* locked: its process runs */
	struct xt_header header;
	struct raw_chunk *chunk; /* in order of kind, stream, seq; each event chunk once */
	size_t chunks, capacity;
	uint32_t bytes_max; /* of a chunk; at least XT_SLOT_BYTES */
	uint64_t frames, windows, slots, duplicates;
	uint64_t zeros_read; /* bytes that were looked at to see whether they are zeros */
	bool has_totals;
	struct xt_totals totals;
	uint64_t totals_chunks, totals_events; /* what stands before the totals frame */
};

/* Totals always, live windows never. */
static inline bool raw_trace_is_compact(const struct raw_trace *trace)
{
	return trace->header.is_compact;
}

/* -1: no file that can be read, no trace, a version that is not ours. Close after 0 only. */
int raw_trace_open(struct raw_trace *trace, const char *path, struct err *err);
void raw_trace_close(struct raw_trace *trace);

/* Finds the chunks, once. What is wrong fails the checks of frames and of the sequence. */
void raw_trace_walk(struct raw_trace *trace, struct verify_report *report);

/* The chunk's bytes, bytes_max of room, *size of them used. -1: err says what is wrong. */
int raw_trace_unpack(const struct raw_trace *trace, const struct raw_chunk *chunk, uint8_t *bytes,
		     uint32_t *size, struct err *err);

#endif
