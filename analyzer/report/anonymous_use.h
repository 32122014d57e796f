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
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/mapping_ranges.h"
#include "analyzer/model/residency.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/trace/stack_tree.h"

/* Of `mapped`, what stacks of one name have mapped. */
struct anonymous_part {
	char *stack; /* functions, the innermost first: "load < main"; "": it has no stack */
	int64_t bytes;
};

struct anonymous_use {
	uint64_t resident; /* all of it, summed up by mappings */
	/* Live blocks: what was requested, and what glibc's rule adds, wherever it is. */
	uint64_t requested, blocks, heads, rounding;
	/* Of these bytes, what is on no page, on the page of zeros, or swapped: 0 or negative. */
	int64_t untouched;
	/* The allocator's, without a live block: pages behind the last block of a mapping, other
	 * pages, and the rest of pages with blocks. */
	int64_t top, free, pinned;
	int64_t mapped;              /* what the program has mapped itself, or taken by brk */
	struct anonymous_part *part; /* of mapped, after anonymous_use_name, the largest first */
	size_t parts;
	int64_t unknown; /* nobody was seen to map it */
	bool is_outside; /* of a process that went on: so many events came while it was taken */
	uint64_t events_during;
	/* By plain pagemap, which takes the page of zeros for memory. */
	bool is_estimated;
	/* its own: bytes by node of the log's stacks, until they have names */
	struct anonymous_node {
		uint32_t node;
		uint64_t bytes;
	} * node;
	size_t nodes, room;
};

/* The replay of r is over. ranges: what was mapped by calls of the trace at that moment. */
void anonymous_use_build(struct anonymous_use *use, const struct residency *r,
			 const struct mapping_ranges *ranges);
/* Who has mapped what; tree: that of the ranges' nodes. */
void anonymous_use_name(struct anonymous_use *use, const struct frame_names *names,
			const struct stack_tree *tree);
void anonymous_use_release(struct anonymous_use *use);

/* Has it nearly all of what was requested at the most? */
bool anonymous_use_is_near(const struct anonymous_use *use, uint64_t peak_bytes);

#endif
