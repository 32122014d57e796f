/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What suppressions take of the blocks that are live at the end. */
#ifndef XALLOC_REPORT_SUPPRESSED_H
#define XALLOC_REPORT_SUPPRESSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/model/replay.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/report/suppressions.h"

struct suppressed {
	uint64_t bytes, blocks, stacks;
};

struct leaks_left { /* what is not suppressed */
	uint64_t bytes, blocks;
};

/* All zeros is one without suppressions. */
struct suppressed_leaks {
	const struct suppressions *suppressions; /* NULL: none were given */
	struct suppressed *entry;                /* by position in suppressions */
	struct suppressed sum;
	struct warnings warnings; /* of those that take nothing */
	size_t *by_node;          /* of the result's tree: a position, or SUPPRESSION_NONE */
};

/* Finds what they take of the result; nothing changes in it. Suppressions are borrowed. */
void suppressed_find(struct suppressed_leaks *leaks, const struct suppressions *suppressions,
		     const struct result *result, const struct frame_names *names);
void suppressed_release(struct suppressed_leaks *leaks);

/* Whether they take what a stack of the result, or of a phase of it, leaks. */
bool suppressed_has(const struct suppressed_leaks *leaks, const struct stack_totals *stack);

/* What they take is not leaked any more, in these stacks of the result's tree; returns it. */
struct suppressed suppressed_take(const struct suppressed_leaks *leaks, struct stack_totals *stack,
				  size_t stacks);
/* The same in all of a result. Its totals say how much was suppressed. */
void suppressed_take_all(const struct suppressed_leaks *leaks, struct result *result);

#endif
