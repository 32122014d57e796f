/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A moment of a replay at which somebody wants to see each block that is live. */
#ifndef XALLOC_MODEL_MOMENT_H
#define XALLOC_MODEL_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/live_set.h"

struct replay;
struct event;

/*
 * Behind that many events of a stream (of its number in the trace), and behind all others' whose
 * stamps are not later; at the end of the trace if that comes before.
 */
struct moment {
	uint64_t stamp, events;
	uint32_t stream;
	/* Each live block, in no order; those of a realloc that has begun as they were. */
	void (*see)(void *owner, uint64_t addr, const struct block *block);
	/* At the end: where[] has for each block's stack the index of the result's stack that it
	 * became part of, of `stacks`. */
	void (*finish)(void *owner, const uint32_t *where, size_t stacks);
	void *owner;
	uint64_t seen; /* the moment's own: events of the stream; is it over */
	bool is_over;
};

/* Before each event while there is a moment. */
void moment_look(struct moment *moment, struct replay *replay, const struct event *event,
		 uint32_t stream);
/* It is now, unless it was. */
void moment_come(struct moment *moment, struct replay *replay);

#endif
