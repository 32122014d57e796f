/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/moment.h"

#include "analyzer/model/replay_state.h"
#include "analyzer/trace/chunk_index.h"

void moment_come(struct moment *moment, struct replay *replay)
{
	struct live_set *set = &replay->live;

	if (moment->is_over)
		return;
	moment->is_over = true;
	for (size_t i = 0; i < (size_t)1 << LIVE_FRONT_BITS; i++) {
		const struct live_front *front = &set->front[i];

		if (front->addr && front->is_live && front->block.stack < UNTRACKED)
			moment->see(moment->owner, front->addr, &front->block);
	}
	for (uint64_t i = 0; i < set->capacity; i++) {
		const struct live_region *region = &set->region[i];

		for (unsigned bit = 0; region->live >> bit && bit < 64; bit++) {
			const uint64_t granule = UINT64_C(1) << bit;
			struct block block;

			if (!(region->live & granule))
				continue;
			live_set_read(set, region, granule, &block);
			if (block.stack < UNTRACKED)
				moment->see(moment->owner,
					    (region->key - 1) >> 4 << 10 | bit << 4 |
						    ((region->key - 1) & 15),
					    &block);
		}
	}
	for (uint32_t i = 0; i < replay->transits; i++) {
		const struct transit *transit = replay->stream[replay->open[i]].transit;

		if (transit->is_open && transit->old_addr && transit->old.stack < UNTRACKED)
			moment->see(moment->owner, transit->old_addr, &transit->old);
	}
}

/* Events that the recorder counts: a realloc once, marks not. */
static bool is_counted(const struct event *event)
{
	return event->op != EVENT_MARK && (event->flags & (EVENT_BEGIN | EVENT_END)) != EVENT_END;
}

void moment_look(struct moment *moment, struct replay *replay, const struct event *event,
		 uint32_t stream)
{
	const struct chunk_run *run = &trace_chunks(replay->trace)->stream[stream];
	const bool is_own = run->stream == moment->stream;

	if (event->stamp0 > moment->stamp || (is_own && moment->seen >= moment->events))
		moment_come(moment, replay);
	moment->seen += is_own && is_counted(event);
}
