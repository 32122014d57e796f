/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reallocs that take a while: from the first stamp on the old block's bytes may be handed out
 * again, but they count until the new block comes, in one step.
 */
#ifndef XALLOC_MODEL_TRANSIT_H
#define XALLOC_MODEL_TRANSIT_H

#include <stdint.h>

#include "analyzer/model/replay_state.h"
#include "analyzer/trace/event.h"

/* The first and the second half of a realloc. */
void transit_begin(struct replay *replay, const struct event *event, uint32_t stream);
void transit_finish(struct replay *replay, const struct event *event, uint32_t stream);

/*
 * A block is about to be handed out. Bytes of it that belonged to a block in transit say that this
 * realloc is over: that is a step before this one. Where that realloc put its new block another may
 * have been in transit, which was over before, and so on: from the end of this chain on.
 */
void transit_end_overtaken(struct replay *replay, const struct event *event);

#endif
