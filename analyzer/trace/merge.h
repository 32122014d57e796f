/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All events of a trace in one order: each stream's own, across streams by stamp. An event without
 * a stamp has the last one before it in its stream. At equal stamps a free comes first (it is
 * stamped before the call, an allocation after it), then the lower stream number.
 *
 * A realloc comes at its first stamp with EVENT_BEGIN, and again at its second with EVENT_END; when
 * nothing of other streams lies between, once with both.
 */
#ifndef XALLOC_TRACE_MERGE_H
#define XALLOC_TRACE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/event.h"
#include "analyzer/trace/stack_tree.h"
#include "analyzer/trace/trace.h"

struct merge;

/* Events of one stream that all come before the next event of any other. */
struct batch {
	const struct event *event; /* valid until the next merge_next */
	size_t count;              /* at least 1 */
	uint32_t stream;           /* from 0 to merge_streams - 1, not the trace's number */
};

/* Called with events some time before they are handed out, to fetch memory ahead; may be NULL. */
typedef void merge_ahead_fn(void *owner, const struct event *event, size_t count);

/* The stacks of the events go to tree. Damage is told to the trace. */
struct merge *merge_new(struct trace *trace, struct stack_tree *tree, merge_ahead_fn *ahead,
			void *owner);
void merge_free(struct merge *merge);

uint32_t merge_streams(const struct merge *merge);
/* The greatest stamp seen so far. */
uint64_t merge_last_stamp(const struct merge *merge);

/* 1, or 0 at the end. */
int merge_next(struct merge *merge, struct batch *batch);

#endif
