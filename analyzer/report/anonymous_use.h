/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the anonymous memory of the traced run was used for at a residency snapshot (residency.h),
 * in bytes of resident pages: no stacks, no zeroed data of modules, nothing of the recorder's. Each
 * part is measured by itself:
 *
 *   resident = requested + heads + rounding + untouched + top + free + pinned + mapped + unknown
 */
#ifndef XALLOC_REPORT_ANONYMOUS_USE_H
#define XALLOC_REPORT_ANONYMOUS_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/mapping_ranges.h"
#include "analyzer/model/residency.h"

struct anonymous_use {
	uint64_t resident; /* all of it, summed up by mappings */
	/* Live blocks: what was requested, and what glibc's rule adds, wherever it is. */
	uint64_t requested, blocks, heads, rounding;
	/* Of these bytes, what is on no page, on the page of zeros, or swapped: 0 or negative. */
	int64_t untouched;
	/* The allocator's, without a live block: pages behind the last block of a mapping, other
	 * pages, and the rest of pages with blocks. */
	int64_t top, free, pinned;
	int64_t mapped;  /* what the program has mapped itself, or taken by brk */
	int64_t unknown; /* nobody was seen to map it */
	/* By plain pagemap, which takes the page of zeros for memory. */
	bool is_estimated;
};

/* The replay of r is over. ranges: what was mapped by calls of the trace at that moment. */
void anonymous_use_build(struct anonymous_use *use, const struct residency *r,
			 const struct mapping_ranges *ranges);

/* Has it nearly all of what was requested at the most? */
bool anonymous_use_is_near(const struct anonymous_use *use, uint64_t peak_bytes);

#endif
