/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/replay.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/live_set.h"
#include "analyzer/model/peak.h"
#include "analyzer/model/phase_stacks.h"
#include "analyzer/model/replay_state.h"
#include "analyzer/model/thread_table.h"
#include "analyzer/model/transit.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/merge.h"
#include "analyzer/trace/trace_clock.h"

#define EVENTS_PER_TELL 65536u
/* So many events before a block is looked for its cell is fetched, and its page before that: what
 * memory takes for both passes with the events between. */
#define FETCH_CELL 12u
#define FETCH_PAGE 28u

static void add_nodes(struct replay *replay, uint32_t node)
{
	const uint32_t nodes = node + node / 2 + 1024;

	replay->stack_of = xrealloclarge(replay->stack_of, nodes, sizeof(*replay->stack_of));
	memset(replay->stack_of + replay->nodes, 0,
	       (nodes - replay->nodes) * sizeof(*replay->stack_of));
	replay->nodes = nodes;
}

static uint32_t add_stack(struct replay *replay, uint32_t node)
{
	if (replay->stacks == replay->stack_capacity) {
		replay->stack_capacity += replay->stack_capacity / 2 + 64;
		replay->stack = xrealloclarge(replay->stack, replay->stack_capacity,
					      sizeof(*replay->stack));
	}
	replay->stack[replay->stacks++] =
		(struct stack_totals){ .node = node, .phase = replay->phases.current };
	if (replay->phase_stacks)
		phase_stacks_add(replay->phase_stacks, replay->stack, replay->stacks);
	return (uint32_t)replay->stacks - 1;
}

/* The entry in stack_of is none, or of another phase. */
static uint32_t find_stack(struct replay *replay, uint32_t node)
{
	uint32_t index = UINT32_MAX;

	if (replay->phase_stacks)
		index = phase_stacks_find(replay->phase_stacks, replay->stack, node,
					  replay->phases.current);
	if (index == UINT32_MAX)
		index = add_stack(replay, node);
	replay->stack_of[node] = index + 1;
	return index;
}

static inline uint32_t stack_index(struct replay *replay, uint32_t node)
{
	uint32_t number;

	if (node >= replay->nodes)
		add_nodes(replay, node);
	number = replay->stack_of[node];
	if (__builtin_expect(!number || replay->stack[number - 1].phase != replay->phases.current,
			     0))
		return find_stack(replay, node);
	return number - 1;
}

uint32_t replay_thread(struct replay *replay, uint32_t number, uint32_t thread_number)
{
	struct stream_state *stream = &replay->stream[number];

	if (!stream->has_thread || stream->thread_number != thread_number) {
		stream->thread = thread_table_index(&replay->threads, thread_number);
		stream->thread_number = thread_number;
		stream->has_thread = true;
	}
	return stream->thread;
}

/* The address of a thread's latest allocation call, 0: none yet. */
static inline uint64_t *latest_of(struct replay *replay, uint32_t thread)
{
#if XALLOC_FAULT == 5
	thread = 0;
#endif
	return &replay->threads.thread[thread].latest_addr;
}

static inline void look_for_peak_high(struct replay *replay, const struct event *event)
{
	if (!(event->flags & EVENT_STAMPED) && event->stamp0 == replay->peak_low)
		return;
	replay->peak_high = event->stamp0;
	replay->peak_stream = NO_STREAM;
}

static void close_unseen(struct replay *replay, const struct block *block)
{
	if (block->stack == UNTRACKED)
		return;
	peak_remove(&replay->peak, &replay->stack[block->stack], block->size);
	replay->totals->unseen_frees++;
}

/* Of copies, so that the blocks themselves can be in registers. closed: NOTHING or what was there.
 */
#define NOTHING                     \
	(struct block)              \
	{                           \
		.stack = IN_TRANSIT \
	}
static __attribute__((noinline)) void tell_given(struct replay *replay, uint32_t stream,
						 const struct event *event, struct block block,
						 struct block closed)
{
	const bool was_there = closed.stack != IN_TRANSIT;

	replay->tap->given(replay->tap->owner, stream, event, &block, was_there ? &closed : NULL,
			   was_there && *latest_of(replay, closed.thread) == event->addr);
}

/* Nearly half of all events are this: it is compiled into where they are told apart. */
static inline __attribute__((always_inline)) void
add_tracked(struct replay *replay, const struct event *event, uint32_t stream)
{
	const uint32_t thread = replay_thread(replay, stream, event->thread);
	const uint32_t index = stack_index(replay, event->node);
	const struct block block = { event->size, index, thread };
	struct stack_totals *stack = &replay->stack[index];
	struct block old;
	const bool is_there = live_set_put(&replay->live, event->addr, &block, &old);

	if (is_there)
		close_unseen(replay, &old);
	if (replay->tap)
		tell_given(replay, stream, event, block, is_there ? old : NOTHING);
	peak_add(&replay->peak, stack, event->size);
	stack->calls++;
	stack->bytes += event->size;
	replay->totals->allocation_calls++;
	replay->totals->allocated_bytes += event->size;
#if XALLOC_FAULT == 3
	replay->totals->allocation_calls += event->op == XT_OP_REALLOC;
#elif XALLOC_FAULT == 13
	stack->bytes -= event->size;
	replay->stack[(index + 1) % replay->stacks].bytes += event->size;
#endif
	replay->calls[event->op & 15]++;
	*latest_of(replay, thread) = event->addr;
}

/* It is there, so that its free is not taken for one of a block that nobody knows. */
static __attribute__((noinline)) void add_untracked(struct replay *replay,
						    const struct event *event, uint32_t stream)
{
	const struct block block = { event->size, UNTRACKED,
				     replay_thread(replay, stream, event->thread) };
	struct block old;
	const bool is_there = live_set_put(&replay->live, event->addr, &block, &old);

	if (is_there)
		close_unseen(replay, &old);
	if (replay->tap && replay->tap->paused)
		replay->tap->paused(replay->tap->owner, stream, event, is_there ? &old : NULL);
	replay->totals->untracked_calls++;
}

bool replay_untracked_gone(struct replay *replay, uint64_t addr)
{
	struct block block;

	if (!live_set_get(&replay->live, addr, &block) || block.stack != UNTRACKED)
		return false;
	live_set_remove(&replay->live, addr);
	replay->totals->untracked_frees++;
	return true;
}

static inline __attribute__((always_inline)) void
add_block(struct replay *replay, const struct event *event, uint32_t stream)
{
	if (__builtin_expect(event->flags & EVENT_UNTRACKED, 0))
		add_untracked(replay, event, stream);
	else
		add_tracked(replay, event, stream);
}

void replay_add_block(struct replay *replay, const struct event *event, uint32_t stream)
{
	add_block(replay, event, stream);
}

void replay_count_temporary(struct replay *replay, const struct block *block, uint64_t addr,
			    uint32_t thread)
{
	if (block->thread != thread || *latest_of(replay, thread) != addr)
		return;
	replay->stack[block->stack].temporary++;
	replay->totals->temporary_calls++;
}

void replay_tell_gone(struct replay *replay, uint32_t stream, const struct event *event,
		      const struct block *block)
{
	const uint64_t addr = event->op == XT_OP_FREE ? event->addr : event->old_addr;

	if (replay->tap)
		replay->tap->gone(replay->tap->owner, stream, event, block,
				  block && *latest_of(replay, block->thread) == addr);
}

/* Of a copy, so that the block itself can be in registers. */
static __attribute__((noinline)) void tell_freed(struct replay *replay, uint32_t stream,
						 const struct event *event, struct block block)
{
	replay_tell_gone(replay, stream, event, &block);
}

static inline void do_free(struct replay *replay, const struct event *event, uint32_t stream)
{
	const uint32_t thread = replay_thread(replay, stream, event->thread);
	const struct live_place place = live_set_find(&replay->live, event->addr);
	struct block block = { .stack = IN_TRANSIT };

	if (place.cell)
		block = live_set_read(&replay->live, *place.cell);
	if (__builtin_expect(block.stack == IN_TRANSIT, 0)) {
		replay->totals->free_calls++;
#if XALLOC_FAULT == 10
		replay->peak.live_bytes -= event->size;
		replay->peak.live_blocks--;
#endif
		replay->totals->foreign_frees++;
		replay_tell_gone(replay, stream, event, NULL);
		return;
	}
	if (__builtin_expect(block.stack == UNTRACKED, 0)) {
		replay_untracked_gone(replay, event->addr);
		return;
	}
	replay->totals->free_calls++;
	if (replay->tap)
		tell_freed(replay, stream, event, block);
	replay_count_temporary(replay, &block, event->addr, thread);
	peak_remove(&replay->peak, &replay->stack[block.stack], block.size);
	live_set_drop(&replay->live, place);
	replay->totals->freed_blocks++;
}

/* The usual realloc: nothing of other streams comes between its stamps, and none is in transit. */
static void do_whole_realloc(struct replay *replay, const struct event *event, uint32_t stream)
{
	const uint32_t thread = replay_thread(replay, stream, event->thread);
	struct block block;

	if (replay_untracked_gone(replay, event->old_addr)) {
		/* it was in no figure */
	} else if (live_set_get(&replay->live, event->old_addr, &block)) {
		replay_tell_gone(replay, stream, event, &block);
		replay_count_temporary(replay, &block, event->old_addr, thread);
		peak_remove(&replay->peak, &replay->stack[block.stack], block.size);
		live_set_remove(&replay->live, event->old_addr);
		replay->totals->realloc_frees++;
	} else {
		replay_tell_gone(replay, stream, event, NULL);
		replay->totals->foreign_frees++;
	}
	replay_add_block(replay, event, stream);
	replay_step(replay, event, stream);
}

/* A realloc that comes in halves is one event. */
static inline bool is_second_half(const struct event *event)
{
	return (event->flags & (EVENT_BEGIN | EVENT_END)) == EVENT_END;
}

static void do_realloc(struct replay *replay, const struct event *event, uint32_t stream)
{
	const unsigned both = EVENT_BEGIN | EVENT_END;

#if XALLOC_FAULT == 6
	*latest_of(replay, replay_thread(replay, stream, event->thread)) = 0;
#endif
	if (!replay->transits && (event->flags & both) == both) {
		do_whole_realloc(replay, event, stream);
		return;
	}
	replay->totals->events -= is_second_half(event); /* it is one with its first */
	if (event->flags & EVENT_BEGIN)
		transit_begin(replay, event, stream);
	if (event->flags & EVENT_END)
		transit_finish(replay, event, stream);
}

static void do_mark(struct replay *replay, const struct event *event)
{
	replay->totals->events--; /* it is none */
	phases_mark(&replay->phases, event, replay->totals, &replay->peak);
	if (replay->tap && replay->tap->marked)
		replay->tap->marked(replay->tap->owner, event, replay->phases.current);
	if (event->fn == XT_MARK_ITERATION && replay->watch && replay->watch->growth)
		growth_mark(replay->watch->growth, replay->stack, replay->stacks, 1);
	if (replay->phases.count > 1 && !replay->phase_stacks)
		replay->phase_stacks = phase_stacks_new(replay->stack, replay->stacks);
}

static void do_event(struct replay *replay, const struct event *event, uint32_t stream)
{
	switch (event->op) {
	case XT_OP_FREE:
		do_free(replay, event, stream);
		break;
	case XT_OP_REALLOC:
		do_realloc(replay, event, stream);
		break;
	case XT_OP_FAILED:
#if XALLOC_FAULT == 9
		replay->totals->allocation_calls++;
#endif
		replay_thread(replay, stream, event->thread);
		if (event->flags & EVENT_UNTRACKED)
			break;
		replay->totals->failed_calls++;
		if (replay->tap)
			replay->tap->failed(replay->tap->owner, stream, event);
		break;
	case EVENT_MARK:
		do_mark(replay, event);
		break;
	case EVENT_POOL:
		replay_thread(replay, stream, event->thread);
		pools_apply(&replay->pools, event);
		break;
	default:
		if (replay->transits)
			transit_end_overtaken(replay, event);
		add_block(replay, event, stream);
		replay_step(replay, event, stream);
		break;
	}
}

/*
 * An event that contradicts what is live may have its stamp too early by what the clock can be
 * wrong. Is there one of another stream that has to be first?
 */
static bool has_to_wait(struct replay *replay, struct merge *merge, const struct event *event,
			uint32_t stream)
{
	const struct transit *transit = replay->stream[stream].transit;

	if (event->op >= XT_OP_FAILED) /* marks and pools' events too */
		return false;
	if (event->op == XT_OP_FREE)
		return !replay_has(replay, event->addr) &&
		       merge_wait(merge, event, event->stamp0, event->addr, false);
	if (event->flags & EVENT_BEGIN && !replay_has(replay, event->old_addr) &&
	    merge_wait(merge, event, event->stamp0, event->old_addr, false))
		return true;
	if (event->op == XT_OP_REALLOC &&
	    (!(event->flags & EVENT_END) || event->addr == event->old_addr ||
	     (is_second_half(event) && !transit->is_open)))
		return false;
	return replay_has(replay, event->addr) &&
	       merge_wait(merge, event, event->stamp1, event->addr, true);
}

static uint64_t count_chunks(const struct chunk_index *index)
{
	uint64_t chunks = 0;

	for (size_t i = 0; i < index->streams; i++)
		chunks += index->stream[i].count;
	return chunks;
}

static inline void fetch_page(struct replay *replay, const struct event *event)
{
	live_set_fetch_page(&replay->live, event->addr);
	if (event->op == XT_OP_REALLOC)
		live_set_fetch_page(&replay->live, event->old_addr);
}

static inline void fetch_cell(struct replay *replay, const struct event *event)
{
	live_set_fetch(&replay->live, event->addr);
	if (event->op == XT_OP_REALLOC)
		live_set_fetch(&replay->live, event->old_addr);
}

static void tell(struct replay *replay, size_t events)
{
	replay->untold += events;
	if (replay->untold < EVENTS_PER_TELL || !replay->watch || !replay->watch->tell)
		return;
	replay->untold = 0;
	replay->watch->tell(replay->watch->owner, merge_chunks(replay->merge), replay->chunks);
}

static void run(struct replay *replay, struct merge *merge)
{
	struct batch batch;

	while (merge_next(merge, &batch)) {
		const bool is_large = live_set_is_large(&replay->live);
		const bool has_many_groups = live_set_has_many_groups(&replay->live);

		tell(replay, batch.count);
		for (size_t i = 0; i < batch.count; i++) {
			const struct event *event = &batch.event[i];

			if (has_many_groups && i + FETCH_PAGE < batch.known)
				fetch_page(replay, event + FETCH_PAGE);
			if (is_large && i + FETCH_CELL < batch.known)
				fetch_cell(replay, event + FETCH_CELL);
			if (event->stamp1 >= batch.alone_before &&
			    has_to_wait(replay, merge, event, batch.stream))
				break;
			if (__builtin_expect(replay->moment && !replay->moment->is_over, 0))
				moment_look(replay->moment, replay, event, batch.stream);
			if (batch.stream == replay->peak_stream)
				look_for_peak_high(replay, event);
			replay->totals->events++;
			do_event(replay, event, batch.stream);
		}
	}
}

static void release(struct replay *replay, uint32_t streams)
{
	for (uint32_t i = 0; i < streams; i++)
		free(replay->stream[i].transit);
	free(replay->stream);
	free(replay->open);
	free(replay->stack_of);
	phase_stacks_free(replay->phase_stacks);
	phases_release(&replay->phases);
	live_set_release(&replay->live);
	thread_table_release(&replay->threads);
}

void replay_run(struct trace *trace, struct result *result, const struct replay_watch *watch)
{
	struct replay replay = { .trace = trace, .totals = &result->totals, .watch = watch };
	struct merge *merge;
	uint64_t last_stamp;
	uint32_t streams;

	*result = (struct result){ .tree = stack_tree_new() };
	replay.peak_stream = NO_STREAM;
	replay.tree = result->tree;
	replay.tap = watch ? watch->tap : NULL;
	replay.moment = watch ? watch->moment : NULL;
	merge = merge_new(trace, result->tree);
	replay.merge = merge;
	replay.chunks = count_chunks(trace_chunks(trace));
	streams = merge_streams(merge);
	replay.stream = xcalloc(streams, sizeof(*replay.stream));
	replay.open = xcalloc(streams, sizeof(*replay.open));
	replay.is_glibc = trace_header(trace)->usable_rule == XT_USABLE_GLIBC;
	live_set_init(&replay.live);
	thread_table_init(&replay.threads);
	peak_init(&replay.peak);
	phases_init(&replay.phases, replay.totals, trace_clock_of(trace_header(trace)).first_stamp);
	run(&replay, merge);
	if (replay.moment)
		moment_come(replay.moment, &replay);
	result->looked_at = merge_looked_at(merge);
	last_stamp = merge_last_stamp(merge);
	result->told.texts = merge_take_texts(merge);
	merge_free(merge);
	replay_finish(&replay, result, last_stamp);
	release(&replay, streams);
}

void result_release(struct result *result)
{
	for (size_t i = 0; i < result->told.pools; i++)
		free(result->told.pool[i].stack);
	free(result->told.pool);
	free(result->told.phase);
	free(result->told.phase_stack);
	free(result->told.dump);
	name_pool_free(result->told.texts);
	free(result->stack);
	stack_tree_free(result->tree);
	*result = (struct result){ 0 };
}
