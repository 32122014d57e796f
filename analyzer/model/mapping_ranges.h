/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of the address space is mapped by calls that the trace has: ranges that do not overlap, in
 * the order of their addresses. A call that maps over others replaces them there.
 */
#ifndef XALLOC_MODEL_MAPPING_RANGES_H
#define XALLOC_MODEL_MAPPING_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/mapping_log.h"

struct mapping_range {
	uint64_t start, end;
	uint32_t node;  /* of the log's tree: who mapped it; 0: no stack */
	uint32_t flags; /* XT_MAPPINGF_ of that call */
};

struct mapping_ranges {
	struct mapping_range *range;
	size_t count, room;
};

/* Who is told of each part that comes or goes; functions may be NULL. */
struct mapping_watch {
	void (*gone)(void *owner, const struct mapping_range *part);
	void (*come)(void *owner, const struct mapping_range *whole, const struct mapping_call *by);
	/* of a range that was given back, the bytes that nobody was seen to map */
	void (*unknown)(void *owner, uint64_t bytes, const struct mapping_call *by);
	void *owner;
};

void mapping_ranges_release(struct mapping_ranges *ranges);

/* The first range that ends behind addr, by its number; count: there is none. */
size_t mapping_ranges_find(const struct mapping_ranges *ranges, uint64_t addr);

/* All calls of the log up to that stamp, into ranges that were all zeros. UINT64_MAX: all. */
void mapping_ranges_run(struct mapping_ranges *ranges, const struct mapping_log *log,
			uint64_t stamp, const struct mapping_watch *watch);

#endif
