/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A built trace, saved, opened and replayed. */
#ifndef XALLOC_TESTS_REPLAYED_H
#define XALLOC_TESTS_REPLAYED_H

#include <stdint.h>

#include "analyzer/model/replay.h"
#include "analyzer/trace/trace.h"
#include "tests/unit/trace_builder.h"

struct replayed {
	struct trace *trace;
	struct result result;
};

/* Aborts the test when the file cannot be opened. Its name is gone afterwards. */
struct replayed replay_of(const struct trace_builder *builder);
/* The same with the file locked, as of a process that runs. */
struct replayed replay_live(const struct trace_builder *builder);
void replayed_release(struct replayed *replayed);

/* What the stack that ends in the ids did, innermost last; NULL: it is not there. */
const struct stack_totals *find_stack(const struct result *result, const uint32_t *stack,
				      uint32_t depth);
/* Some warning has that text in it. */
bool has_warning(const struct trace *trace, const char *part);
/* The stacks' figures add up to the totals, each of them. */
void check_sums(const struct result *result);

/* A small generator of random numbers, the same on every machine. */
uint64_t random_next(uint64_t *state);

#endif
