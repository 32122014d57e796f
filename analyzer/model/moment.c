/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/moment.h"

#include "analyzer/model/replay_state.h"
#include "analyzer/trace/chunk_index.h"

static void see_page(const struct moment *moment, const struct live_set *set,
		     const struct live_page *page, uint64_t start)
{
	const uint64_t *const run = live_set_run(set, page);

	for (uint32_t i = 0; i < 1u << page->room; i++) {
		struct block block;

		if (!run[i])
			continue;
		block = live_set_read(set, run[i]);
		if (block.stack < UNTRACKED)
			moment->see(moment->owner, start + live_set_offset_of(run[i]), &block);
	}
}

static void see_group(const struct moment *moment, const struct live_set *set,
		      const struct live_entry *entry)
{
	const struct live_page *const page = set->group[entry->group].page;

	for (uint32_t k = 0; k < 1u << LIVE_PAGE_BITS; k++) {
		if (page[k].live)
			see_page(moment, set, &page[k], live_set_start_of(entry, k));
	}
}

void moment_come(struct moment *moment, struct replay *replay)
{
	const struct live_set *set = &replay->live;

	if (moment->is_over)
		return;
	moment->is_over = true;
	for (uint64_t i = 0; i < set->capacity; i++) {
		if (set->entry[i].key)
			see_group(moment, set, &set->entry[i]);
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
