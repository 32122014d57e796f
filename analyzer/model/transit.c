/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/transit.h"

#include "analyzer/base/mem.h"
#include "analyzer/model/live_set.h"
#include "analyzer/model/peak.h"

/* Where the bytes that the allocator keeps for a block end. */
static uint64_t end_of(const struct replay *replay, uint64_t addr, uint64_t size)
{
	uint64_t bytes = size ? size : 1, end;

	if (trace_has_dropped(replay->trace, TRACE_ADDRESSES))
		bytes = 1;
	else if (replay->is_glibc)
		bytes = event_usable_rule(size);
	return __builtin_add_overflow(addr, bytes, &end) ? UINT64_MAX : end;
}

/* The open transit whose old block has bytes in addr .. end; of several the lowest in memory.
 * transits: none. */
static uint32_t find_overtaken(const struct replay *replay, uint64_t addr, uint64_t end)
{
	uint64_t lowest = UINT64_MAX;
	uint32_t found = replay->transits;

	for (uint32_t i = 0; i < replay->transits; i++) {
		const struct transit *transit = replay->stream[replay->open[i]].transit;
		const uint64_t old_addr = transit->old_addr;

		if (old_addr && old_addr < lowest && old_addr < end &&
		    end_of(replay, old_addr, transit->old.size) > addr) {
			lowest = old_addr;
			found = i;
		}
	}
	return found;
}

/* The first half of ending a transit: it is not open any more, its old block not in the live
 * set. */
static void take_transit(struct replay *replay, uint32_t stream)
{
	struct transit *transit = replay->stream[stream].transit;
	uint32_t at = 0;

	while (replay->open[at] != stream)
		at++;
	replay->open[at] = replay->open[--replay->transits];
	transit->is_open = false;
	if (transit->old_addr)
		live_set_remove(&replay->live, transit->old_addr);
}

/* The second half, the step. */
static bool end_transit(struct replay *replay, uint32_t stream)
{
	const struct transit *transit = replay->stream[stream].transit;

	if (transit->old_addr) {
#if XALLOC_FAULT != 4
		peak_remove(&replay->peak, &replay->stack[transit->old.stack], transit->old.size);
#endif
		replay->totals->realloc_frees++;
	}
	replay_add_block(replay, &transit->event, stream);
	return replay_step(replay, &transit->event, stream);
}

/* Each is no longer open before the next is looked for, so a circle ends too. */
void transit_end_overtaken(struct replay *replay, const struct event *event)
{
	const struct event *coming = event;
	uint32_t chain = NO_STREAM;

	for (;;) {
		const uint32_t at =
			find_overtaken(replay, coming->addr,
				       end_of(replay, coming->addr, coming->size));
		uint32_t stream = chain;

		if (at < replay->transits) {
			stream = replay->open[at];
			take_transit(replay, stream);
			replay->stream[stream].transit->next = chain;
			chain = stream;
		} else if (chain == NO_STREAM) {
			return;
		} else {
			const struct transit *transit = replay->stream[stream].transit;

			chain = transit->next;
			replay->stream[stream].transit->event.flags |= EVENT_OVERTAKEN;
			if (end_transit(replay, stream)) /* before its second stamp */
				replay->peak_low = transit->event.stamp0;
		}
		coming = chain == NO_STREAM ? event : &replay->stream[chain].transit->event;
	}
}

void transit_begin(struct replay *replay, const struct event *event, uint32_t stream)
{
	const uint32_t thread = replay_thread(replay, stream, event->thread);
	struct block block;
	struct transit *transit = replay->stream[stream].transit;

	if (!transit) {
		transit = xcalloc(1, sizeof(*transit));
		replay->stream[stream].transit = transit;
	}
	transit->event = *event;
	transit->is_open = true;
	replay->open[replay->transits++] = stream;
	transit->old_addr = 0;
	if (replay_untracked_gone(replay, event->old_addr))
		return;
	if (!replay_get(replay, event->old_addr, &block)) {
		replay->totals->foreign_frees++;
		replay_tell_gone(replay, stream, event, NULL);
		return;
	}
	replay_tell_gone(replay, stream, event, &block);
#if XALLOC_FAULT == 4
	peak_remove(&replay->peak, &replay->stack[block.stack], block.size);
#endif
	replay_count_temporary(replay, &block, event->old_addr, thread);
	transit->old_addr = event->old_addr;
	block.stack = IN_TRANSIT;
	block.size = stream;
	live_set_put(&replay->live, event->old_addr, &block, &transit->old);
}

void transit_finish(struct replay *replay, const struct event *event, uint32_t stream)
{
	const struct transit *transit = replay->stream[stream].transit;

	if (!transit->is_open)
		return; /* its old address was handed out before */
	take_transit(replay, stream);
	transit_end_overtaken(replay, event);
	end_transit(replay, stream);
}
