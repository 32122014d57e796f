/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program's own mappings (mmap, mremap, brk, sbrk), apart from the heap, in bytes of addresses:
 * how much of them is memory a residency snapshot says. mremap is an unmapping and a mapping. What
 * the allocator maps for itself is summed up, without stacks.
 */
#ifndef XALLOC_MODEL_MAPPINGS_H
#define XALLOC_MODEL_MAPPINGS_H

#include <stdint.h>

#include "analyzer/model/peak.h"
#include "analyzer/model/replay.h"
#include "analyzer/trace/mapping_log.h"

struct mapping_sum {
	uint64_t calls, mapped_bytes; /* that mapped something */
	uint64_t unmapped_bytes;      /* of these, as munmap, mremap, or a mapping on top took it */
	uint64_t live_bytes;          /* at the end: what is left */
	uint64_t peak_bytes;          /* their greatest total */
};

struct mappings {
	struct mapping_sum program, allocator;
	uint64_t unmap_calls;   /* munmap and shrinking brk, of the program */
	uint64_t unknown_bytes; /* given back by the program, but nobody was seen to map them */
	/* One stack_totals for each stack that mapped: calls, bytes, live_bytes and peak_bytes (at
	 * program.peak_bytes). The tree is the log's; only these three are set. */
	struct result stacks;
};

/* Stacks have at most depth frames. Once for each log, whose tree's values it takes. */
void mappings_build(struct mappings *mappings, const struct mapping_log *log, uint32_t depth);
void mappings_release(struct mappings *mappings);

#endif
