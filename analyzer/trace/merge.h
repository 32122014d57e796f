/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All events of a trace in one order: docs/trace-format.md, "The order of events". An event that
 * contradicts what is live may wait, see merge_wait; then what it waits for comes before it, as
 * does all that stands before that in its stream.
 *
 * A realloc comes at its first stamp with EVENT_BEGIN, and again at its second with EVENT_END; when
 * these are equal, or nothing of other streams lies between or near, once with both.
 */
#ifndef XALLOC_TRACE_MERGE_H
#define XALLOC_TRACE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/name_pool.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/stack_tree.h"
#include "analyzer/trace/trace.h"

struct merge;

/* Events of one stream that all come before the next event of any other. */
struct batch {
	const struct event *event; /* valid until the next merge_next */
	size_t count;              /* at least 1 */
	size_t known;    /* so many stand there, those of the batch first: for who looks ahead */
	uint32_t stream; /* from 0 to merge_streams - 1, not the trace's number */
	/* At stamps below this one no event waits: there is none of another stream so early. */
	uint64_t alone_before;
};

/* The stacks of the events go to tree, which nobody else may touch until merge_free: events are
 * decoded by another thread meanwhile. Damage is told to the trace. */
struct merge *merge_new(struct trace *trace, struct stack_tree *tree);
void merge_free(struct merge *merge);

uint32_t merge_streams(const struct merge *merge);
/* The greatest stamp seen so far. */
uint64_t merge_last_stamp(const struct merge *merge);

/* 1, or 0 at the end. Marks are handed out too (event.h). */
int merge_next(struct merge *merge, struct batch *batch);

/*
 * An event of the latest batch, at that stamp, gives back addr, which is not in use (wants_free is
 * false: it waits for an allocation), or gets addr, which is (wants_free). Is there in another
 * stream, no later than the clock can be wrong, one that makes it right? Then this is true, the
 * batch is over, and its events from this one on will come again. Looks at a limited number of
 * events, and at none when no other stream has one so early.
 */
bool merge_wait(struct merge *merge, const struct event *event, uint64_t stamp, uint64_t addr,
		bool wants_free);
/* Events that were looked at for that. */
uint64_t merge_looked_at(const struct merge *merge);
/* After the last merge_next: the names of marks and pools, by event.text, to be freed. */
struct name_pool *merge_take_texts(struct merge *merge);
/* Chunks of which events were handed out so far. */
size_t merge_chunks(const struct merge *merge);

#endif
