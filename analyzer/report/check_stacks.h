/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stacks that make up a figure, with what the baseline has of each. */
#ifndef XALLOC_REPORT_CHECK_STACKS_H
#define XALLOC_REPORT_CHECK_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/report/limits.h"
#include "analyzer/report/measured.h"

struct check_frame {
	char *function;
	char *file; /* "": not known, as of all frames of a stack that only the baseline has */
	char *module;
	uint32_t line;
	uint64_t offset;
	bool is_inlined;
};

struct check_stack {
	uint64_t before, after;
	struct check_frame *frame; /* from the innermost */
	size_t frames;
};

enum check_order {
	CHECK_BY_CHANGE, /* the largest step away from the baseline first, and no others */
	CHECK_BY_WEIGHT,
	CHECK_BY_APPEARANCE /* the first to allocate first */
};

struct check_stacks {
	enum metric metric; /* what they are weighed by */
	const char *by;     /* the same in a word: measured_stacks.by */
	bool weighs_blocks; /* as there */
	uint64_t turns;     /* as there */
	enum check_order order;
	bool has_before;
	struct check_stack *stack;
	size_t count, all; /* those that are kept, and how many there are */
};

/* Those of a limit that has a figure and a table. baseline may be NULL. is_low: it is too low, so
 * what has shrunk comes first. */
void check_stacks_build(struct check_stacks *stacks, const struct limit *limit,
			const struct measured *trace, const struct measured *baseline, bool is_low,
			uint64_t top);
void check_stacks_release(struct check_stacks *stacks);

#endif
