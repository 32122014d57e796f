/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What glibc's allocator takes for live blocks besides what was requested: heads, and rounding up
 * to its sizes. A block's usable bytes are those of the trace (docs/trace-format.md, usable_rule),
 * its head is 8 bytes, or 16 where it is a mapping of its own.
 *
 * Follows a replay: slack_init, then replay_run with slack.tap.
 */
#ifndef XALLOC_MODEL_SLACK_H
#define XALLOC_MODEL_SLACK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/live_set.h"
#include "analyzer/model/replay.h"
#include "analyzer/trace/trace.h"

/* Of all live blocks at one moment. */
struct slack_sum {
	uint64_t requested_bytes, blocks;
	int64_t head_bytes, rounding_bytes; /* 0 where they are not known */
	uint64_t mapped_bytes,
		mapped_blocks; /* requested by blocks that are mappings of their own */
};

/* What a stream's realloc has given back, and counts until its new block is there. */
struct slack_pending {
	struct slack_sum sum;
	bool is_open;
};

struct slack {
	struct replay_tap tap; /* for replay_run */
	struct slack_sum peak; /* at the first instant of the greatest total of requested bytes */
	uint64_t peak_stamp;
	struct slack_sum end; /* now; after the replay at the end */
	bool is_known;        /* else the allocator is none that we know the rules of */
	/* its own */
	struct live_set odd; /* blocks whose usable size is not the rule's: size is by how much */
	struct slack_pending *pending; /* by stream */
	uint32_t streams;
};

/* slack must stay where it is. */
void slack_init(struct slack *slack, const struct trace *trace);
/* peak and end stay. */
void slack_release(struct slack *slack);

#endif
