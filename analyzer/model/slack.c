/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/slack.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/replay_state.h"
#include "analyzer/trace/event.h"
#include "preload/trace/format.h"

#define PAGE 4096u
#define HEAD 8         /* of a chunk; what stands before it belongs to the one before */
#define MAPPED_HEAD 16 /* of a chunk that is a mapping of its own */

/* glibc gives such a block whole pages, and it begins right behind their head. No other block has
 * that end: those of the heap are handed out in sizes that are odd multiples of 8. */
static bool is_mapping(uint64_t addr, uint64_t usable)
{
	return addr % PAGE == MAPPED_HEAD && (usable + MAPPED_HEAD) % PAGE == 0;
}

static void measure(const struct slack *slack, uint64_t addr, uint64_t size, int64_t more,
		    struct slack_sum *sum)
{
	const uint64_t usable = event_usable_rule(size) + (uint64_t)more;
	const bool is_mapped = is_mapping(addr, usable);

	*sum = (struct slack_sum){ .requested_bytes = size, .blocks = 1 };
	if (!slack->is_known)
		return;
	sum->head_bytes = is_mapped ? MAPPED_HEAD : HEAD;
	sum->rounding_bytes = (int64_t)(usable - size);
	sum->mapped_bytes = is_mapped ? size : 0;
	sum->mapped_blocks = is_mapped;
}

static void add(struct slack_sum *to, const struct slack_sum *sum)
{
	to->requested_bytes += sum->requested_bytes;
	to->blocks += sum->blocks;
	to->head_bytes += sum->head_bytes;
	to->rounding_bytes += sum->rounding_bytes;
	to->mapped_bytes += sum->mapped_bytes;
	to->mapped_blocks += sum->mapped_blocks;
}

static void subtract(struct slack_sum *from, const struct slack_sum *sum)
{
	from->requested_bytes -= sum->requested_bytes;
	from->blocks -= sum->blocks;
	from->head_bytes -= sum->head_bytes;
	from->rounding_bytes -= sum->rounding_bytes;
	from->mapped_bytes -= sum->mapped_bytes;
	from->mapped_blocks -= sum->mapped_blocks;
}

/* What is known of the block at addr that is given back. */
static void forget(struct slack *slack, uint64_t addr, uint64_t size, struct slack_sum *sum)
{
	struct block odd = { 0 };
	const bool is_odd = live_set_get(&slack->odd, addr, &odd);

	measure(slack, addr, size, is_odd ? (int32_t)(uint32_t)odd.size : 0, sum);
	if (is_odd)
		live_set_remove(&slack->odd, addr);
}

static struct slack_pending *pending_of(struct slack *slack, uint32_t stream)
{
	if (stream >= slack->streams) {
		const uint32_t streams = stream + stream / 2 + 16;

		slack->pending = xreallocarray(slack->pending, streams, sizeof(*slack->pending));
		memset(slack->pending + slack->streams, 0,
		       (streams - slack->streams) * sizeof(*slack->pending));
		slack->streams = streams;
	}
	return &slack->pending[stream];
}

static void gone(void *owner, uint32_t stream, const struct event *event, const struct block *block,
		 bool is_latest)
{
	struct slack *slack = owner;
	const bool is_free = event->op == XT_OP_FREE;
	struct slack_sum sum;

	(void)is_latest;
	if (!block)
		return;
	forget(slack, is_free ? event->addr : event->old_addr, block->size, &sum);
	if (is_free)
		subtract(&slack->end, &sum);
	else
		*pending_of(slack, stream) = (struct slack_pending){ sum, true };
}

/* An address is handed out: what was there goes, and what a realloc gave up for it. Of a call while
 * recording was paused this is all. */
static void handed_out(void *owner, uint32_t stream, const struct event *event,
		       const struct block *closed)
{
	struct slack *slack = owner;
	struct slack_pending *pending = pending_of(slack, stream);
	struct slack_sum sum;

	if (event->op == XT_OP_REALLOC && pending->is_open) {
		subtract(&slack->end, &pending->sum);
		pending->is_open = false;
	}
	if (closed && closed->stack != UNTRACKED) {
		forget(slack, event->addr, closed->size, &sum);
		subtract(&slack->end, &sum);
	}
}

static void given(void *owner, uint32_t stream, const struct event *event,
		  const struct block *block, const struct block *closed, bool was_latest)
{
	struct slack *slack = owner;
	struct slack_sum sum;

	(void)was_latest;
	handed_out(owner, stream, event, closed);
	measure(slack, event->addr, block->size, event->more, &sum);
	add(&slack->end, &sum);
	if (event->more) {
		const struct block odd = { .size = (uint32_t)event->more };
		struct block old;

		live_set_put(&slack->odd, event->addr, &odd, &old);
	}
	if (slack->end.requested_bytes > slack->peak.requested_bytes) {
		slack->peak = slack->end;
		slack->peak_stamp = event->stamp1;
	}
}

static void failed(void *owner, uint32_t stream, const struct event *event)
{
	(void)owner;
	(void)stream;
	(void)event;
}

void slack_init(struct slack *slack, const struct trace *trace)
{
	*slack = (struct slack){ .tap = { gone, given, failed, slack, handed_out, NULL },
				 .is_known = trace_header(trace)->usable_rule == XT_USABLE_GLIBC };
	live_set_init(&slack->odd);
}

void slack_release(struct slack *slack)
{
	live_set_release(&slack->odd);
	free(slack->pending);
	slack->pending = NULL;
	slack->streams = 0;
}
