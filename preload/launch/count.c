/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/count.h"

#include <stddef.h>
#include <stdlib.h>

#include "preload/launch/frames.h"
#include "preload/launch/message.h"

#define STREAMS_MAX (1u << 20) /* of a file that is none of ours, more may be named */

struct count {
	uint64_t *
		stream; /* events of each: its last chunk's base and events, in file order or not */
	uint32_t streams;
};

/* A chunk stands twice when it was committed just before a kill: a sum would count it twice. */
static void add(struct count *count, uint32_t stream, uint64_t base, uint32_t events)
{
	if (stream >= STREAMS_MAX)
		return;
	if (stream >= count->streams) {
		const uint32_t wanted = 2 * stream + 16;
		uint64_t *more = memory_new(wanted, sizeof(*more));

		for (uint32_t i = 0; i < count->streams; i++)
			more[i] = count->stream[i];
		free(count->stream);
		count->stream = more;
		count->streams = wanted;
	}
	if (base + events > count->stream[stream])
		count->stream[stream] = base + events;
}

static void add_slot(void *arg, const struct xt_slot *slot, uint64_t head_at, uint64_t data_at)
{
	(void)head_at;
	(void)data_at;
	if (slot->kind == XT_KIND_EVENTS && slot->used)
		add(arg, slot->stream, slot->base, slot->events);
}

static void add_chunk(void *arg, const struct xt_meta *meta, uint64_t zstd_at)
{
	(void)zstd_at;
	if (meta->kind == XT_KIND_EVENTS || meta->kind == XT_KIND_COLUMNS)
		add(arg, meta->stream, meta->base, meta->events);
}

uint64_t count_events(int fd)
{
	struct count count = { .stream = NULL };
	const struct frames_visitor visitor = { add_chunk, add_slot, &count };
	uint64_t events = 0;

	frames_each(fd, &visitor);
	for (uint32_t i = 0; i < count.streams; i++)
		events += count.stream[i];
	free(count.stream);
	return events;
}
