/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/selection.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/replay_state.h"
#include "analyzer/model/selection_state.h"
#include "analyzer/trace/trace_clock.h"

enum { STACK_NEW, STACK_OUT, STACK_IN };

bool selection_rule_is_empty(const struct selection_rule *rule)
{
	return !rule->has_thread && !rule->has_size && !rule->has_from && !rule->has_to &&
	       !rule->has_at && !rule->has_stack;
}

/* --- time */

/* The first stamp that is so late. */
static uint64_t stamp_of(const struct trace_clock *clock, uint64_t ns)
{
	uint64_t low = 0, high = UINT64_MAX;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (trace_clock_ns(clock, middle) >= ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The last stamp that is not later. */
static uint64_t last_stamp_of(const struct trace_clock *clock, uint64_t ns)
{
	return ns == UINT64_MAX ? ns : stamp_of(clock, ns + 1) - 1;
}

void selection_take_instant(struct selection *s, uint64_t stamp, uint32_t stream)
{
	s->peak.bytes = s->peak.live_bytes;
	s->peak.blocks = s->peak.live_blocks;
	if (++s->peak.epoch == 0)
		peak_next_epoch(&s->peak, s->stack, 2 * s->stacks);
	s->peak_low = s->peak_high = stamp;
	s->peak_stream = stream;
	if (s->view && s->view->instant)
		s->view->instant(s->view->owner);
}

bool selection_advance(struct selection *s, uint64_t stamp)
{
	const struct selection_rule *rule = s->rule;

	if (stamp > s->last_stamp)
		s->last_stamp = stamp;
	if (rule->has_at && !s->is_taken && stamp > s->at_stamp) {
		selection_take_instant(s, s->at_stamp, NO_STREAM);
		s->is_taken = true;
	}
	if (s->stage == SELECTION_BEFORE && stamp >= s->from_stamp) {
		s->stage = SELECTION_WITHIN;
		s->all_peak = s->all_live;
		selection_take_instant(s, s->from_stamp, NO_STREAM);
		if (s->view && s->view->step)
			s->view->step(s->view->owner, s->from_stamp, s->peak.live_bytes,
				      s->peak.live_blocks);
	}
	if (s->stage != SELECTION_BEHIND && rule->has_to && stamp > s->to_stamp)
		s->stage = SELECTION_BEHIND;
	return s->stage != SELECTION_BEHIND;
}

static void look_for_peak_high(struct selection *s, uint32_t stream, const struct event *event)
{
	if (stream != s->peak_stream ||
	    (!(event->flags & EVENT_STAMPED) && event->stamp0 == s->peak_low))
		return;
	s->peak_high = event->stamp0;
	s->peak_stream = NO_STREAM;
}

static void step(struct selection *s, uint64_t stamp)
{
	struct peak *peak = &s->peak;

	if (s->stage != SELECTION_WITHIN)
		return;
	if (peak->live_bytes > peak->recent_bytes) { /* for phases, as in peak_step */
		peak->recent_bytes = peak->live_bytes;
		peak->recent_blocks = peak->live_blocks;
	}
	if (s->view && s->view->step)
		s->view->step(s->view->owner, stamp, s->peak.live_bytes, s->peak.live_blocks);
}

/* --- what is selected */

static void add_stacks(struct selection *s, uint32_t stack)
{
	const size_t stacks = (size_t)stack + stack / 2 + 64;

	s->stack = xreallocarray(s->stack, 2 * stacks, sizeof(*s->stack));
	memset(s->stack + 2 * s->stacks, 0, 2 * (stacks - s->stacks) * sizeof(*s->stack));
	s->stack_state = xrealloc(s->stack_state, stacks);
	memset(s->stack_state + s->stacks, STACK_NEW, stacks - s->stacks);
	s->stacks = stacks;
}

static bool has_stack(const struct selection *s, uint32_t node)
{
	return !s->rule->has_stack || s->rule->has_stack(s->rule->owner, node);
}

static void note_stack(struct selection *s, uint32_t stack, uint32_t node)
{
	if (stack >= s->stacks)
		add_stacks(s, stack);
	if (s->stack_state[stack] != STACK_NEW)
		return;
	s->stack[2 * stack].node = s->stack[2 * stack + 1].node = node;
	s->stack[2 * stack].phase = s->stack[2 * stack + 1].phase = s->phases.current;
	s->stack_state[stack] = has_stack(s, node) ? STACK_IN : STACK_OUT;
}

static void note_thread(struct selection *s, uint32_t thread, uint32_t number)
{
	if (thread >= s->threads) {
		s->threads = thread + thread / 2 + 16;
		s->thread_number =
			xreallocarray(s->thread_number, s->threads, sizeof(*s->thread_number));
	}
	s->thread_number[thread] = number;
}

static bool is_selected_size(const struct selection *s, uint64_t size)
{
	return !s->rule->has_size || (size >= s->rule->least && size <= s->rule->most);
}

static bool is_selected_thread(const struct selection *s, uint32_t number)
{
	return !s->rule->has_thread || thread_names_fits(trace_thread_names(s->trace), number,
							 s->rule->thread, s->rule->thread_name);
}

/* The block, which note_stack and note_thread know. */
static bool select_block(const struct selection *s, const struct block *block, uint64_t addr,
			 struct selected_block *out)
{
	*out = (struct selected_block){ .addr = addr,
					.size = block->size,
					.stack = block->stack,
					.thread = s->thread_number[block->thread] };
	return s->stack_state[block->stack] == STACK_IN && is_selected_size(s, block->size) &&
	       is_selected_thread(s, out->thread);
}

static struct stack_totals *stack_of(const struct selection *s, const struct selected_block *block)
{
	return &s->stack[2 * block->stack + block->is_early];
}

/* --- blocks begin and end */

static void end_block(struct selection *s, const struct selected_block *block,
		      const struct event *event, enum selection_end how)
{
	peak_remove(&s->peak, stack_of(s, block), block->size);
	if (block->is_early)
		; /* it is in no total */
	else if (how == SELECTION_FREED)
		s->totals.freed_blocks++;
	else if (how == SELECTION_REALLOCATED)
		s->totals.realloc_frees++;
	else
		s->totals.unseen_frees++;
	if (s->view && s->view->ended)
		s->view->ended(s->view->owner, block, event, how);
}

/* What is known of a block by its address, which may soon be another's. ends_latest: by its own
 * thread, which allocated nothing since. */
static void take_block(struct selection *s, struct selected_block *block, bool ends_latest)
{
	struct block unused;

	block->is_early = s->rule->has_from && live_set_get(&s->early, block->addr, &unused);
	if (block->is_early)
		live_set_remove(&s->early, block->addr);
	block->is_temporary = ends_latest && !block->is_early;
	if (block->is_temporary) {
		s->stack[2 * block->stack].temporary++;
		s->totals.temporary_calls++;
	}
	if (s->view && s->view->taken)
		s->view->taken(s->view->owner, block);
}

static struct selection_pending *pending_of(struct selection *s, uint32_t stream)
{
	if (stream >= s->pendings) {
		const uint32_t count = stream + stream / 2 + 8;

		s->pending = xreallocarray(s->pending, count, sizeof(*s->pending));
		memset(s->pending + s->pendings, 0, (count - s->pendings) * sizeof(*s->pending));
		s->pendings = count;
	}
	return &s->pending[stream];
}

static void count_free(struct selection *s, const struct event *event, bool is_selected,
		       bool is_foreign)
{
	const bool has_blocks = s->rule->has_size || s->rule->has_stack;

	if (s->stage != SELECTION_WITHIN)
		return;
	if (is_foreign)
		is_selected = !has_blocks && is_selected_thread(s, event->thread);
	s->totals.foreign_frees += is_foreign && is_selected;
	s->totals.free_calls += event->op == XT_OP_FREE && is_selected;
}

static void tap_gone(void *owner, uint32_t stream, const struct event *event,
		     const struct block *block, bool is_latest)
{
	struct selection *s = owner;
	struct selected_block selected = { 0 };
	struct selection_pending *pending;
	bool is_selected;

	look_for_peak_high(s, stream, event);
	if (!selection_advance(s, event->stamp0))
		return;
	is_selected = block && select_block(s, block,
					    event->op == XT_OP_FREE ? event->addr : event->old_addr,
					    &selected);
	count_free(s, event, is_selected, !block);
	if (!block)
		return;
	if (is_selected)
		take_block(s, &selected, is_latest && selected.thread == event->thread);
	if (event->op != XT_OP_FREE) {
		pending = pending_of(s, stream);
		*pending = (struct selection_pending){ true, is_selected, selected, block->size };
		return;
	}
	s->all_live -= block->size;
	if (is_selected) {
		end_block(s, &selected, event, SELECTION_FREED);
		step(s, event->stamp0);
	}
}

/* The step of a realloc: its old block goes. */
static void end_pending(struct selection *s, uint32_t stream, const struct event *event)
{
	struct selection_pending *pending = pending_of(s, stream);

	if (event->op != XT_OP_REALLOC || !pending->is_open)
		return;
	pending->is_open = false;
	s->all_live -= pending->all_bytes;
	if (pending->is_selected)
		end_block(s, &pending->block, event, SELECTION_REALLOCATED);
}

static void close_unseen(struct selection *s, const struct block *closed, const struct event *event)
{
	struct selected_block selected;

	if (!closed || closed->stack == UNTRACKED)
		return;
	s->all_live -= closed->size;
	if (!select_block(s, closed, event->addr, &selected))
		return;
	take_block(s, &selected, false);
	end_block(s, &selected, event, SELECTION_UNSEEN);
}

static void count_call(struct selection *s, const struct event *event,
		       const struct selected_block *block)
{
	struct stack_totals *stack = stack_of(s, block);

	stack->calls++;
	stack->bytes += block->size;
	s->totals.allocation_calls++;
	s->totals.allocated_bytes += block->size;
	s->calls[event->op & 15]++;
	thread_table_index(&s->seen, block->thread);
}

static void begin_block(struct selection *s, const struct event *event,
			const struct selected_block *block)
{
	struct block unused;

	peak_add(&s->peak, stack_of(s, block), block->size);
	if (block->is_early) {
		live_set_put(&s->early, block->addr, &(struct block){ block->size, 0, 0 }, &unused);
	} else {
		count_call(s, event, block);
	}
	if (s->view && s->view->begun)
		s->view->begun(s->view->owner, block, event);
}

static void tap_given(void *owner, uint32_t stream, const struct event *event,
		      const struct block *block, const struct block *closed, bool was_latest)
{
	const uint64_t stamp = event->flags & EVENT_OVERTAKEN ? event->stamp0 : event->stamp1;
	struct selection *s = owner;
	struct selected_block selected;

	(void)was_latest;
	look_for_peak_high(s, stream, event);
	if (!selection_advance(s, stamp))
		return;
	note_stack(s, block->stack, event->node);
	note_thread(s, block->thread, event->thread);
	end_pending(s, stream, event);
	close_unseen(s, closed, event);
	s->all_live += block->size;
	s->all_calls++;
	s->all_bytes += block->size;
	if (select_block(s, block, event->addr, &selected)) {
		selected.is_early = s->stage == SELECTION_BEFORE;
		begin_block(s, event, &selected);
	}
	if (s->stage == SELECTION_WITHIN && s->all_live > s->all_peak) {
		s->all_peak = s->all_live;
		if (!s->rule->has_at)
			selection_take_instant(s, stamp,
					       event->flags & EVENT_STAMPED ? NO_STREAM : stream);
	}
	step(s, stamp);
}

/* Its block is in no figure, but what it replaces was. */
static void tap_paused(void *owner, uint32_t stream, const struct event *event,
		       const struct block *closed)
{
	struct selection *s = owner;

	look_for_peak_high(s, stream, event);
	if (!selection_advance(s, event->stamp1))
		return;
	end_pending(s, stream, event);
	close_unseen(s, closed, event);
	step(s, event->stamp1);
}

static void tap_failed(void *owner, uint32_t stream, const struct event *event)
{
	struct selection *s = owner;

	look_for_peak_high(s, stream, event);
	if (!selection_advance(s, event->stamp1) || s->stage == SELECTION_BEFORE)
		return;
	s->totals.failed_calls += is_selected_size(s, event->size) &&
				  is_selected_thread(s, event->thread) && has_stack(s, event->node);
}

/* Within the range it counts. Which phase is on, and when that changes, is as in the whole trace.
 */
static void tap_marked(void *owner, const struct event *event, uint32_t phase)
{
	struct selection *s = owner;
	const bool is_within = selection_advance(s, event->stamp0) && s->stage == SELECTION_WITHIN;

	if (is_within || event->fn == XT_MARK_PHASE)
		phases_mark(&s->phases, event, &s->totals, &s->peak);
	if (is_within && event->fn == XT_MARK_ITERATION && s->view && s->view->growth)
		growth_mark(s->view->growth, s->stack, s->stacks, 2);
	if (s->view && s->view->marked)
		s->view->marked(s->view->owner, event, phase);
}

/* --- beginning and end */

static int find_stamps(struct selection *s, const struct trace *trace, struct err *err)
{
	const struct trace_clock clock = trace_clock_of(trace_header(trace));
	const struct selection_rule *rule = s->rule;

	if (!rule->has_from && !rule->has_to && !rule->has_at)
		return 0;
	if (!clock.stamps || trace_has_dropped(trace, TRACE_STAMPS) ||
	    trace_header(trace)->clock != XT_CLOCK_TSC)
		return err_set(err, "%s: it has no times, so none can be selected",
			       trace_path(trace));
	s->from_stamp = rule->from ? stamp_of(&clock, rule->from) : 0;
	s->to_stamp = last_stamp_of(&clock, rule->to);
	s->at_stamp = last_stamp_of(&clock, rule->at);
	return 0;
}

int selection_init(struct selection *s, const struct trace *trace,
		   const struct selection_rule *rule, const struct selection_view *view,
		   struct err *err)
{
	*s = (struct selection){ .rule = rule,
				 .view = view,
				 .trace = trace,
				 .peak_stream = NO_STREAM,
				 .stage = rule->has_from ? SELECTION_BEFORE : SELECTION_WITHIN };
	s->tap = (struct replay_tap){ .gone = tap_gone,
				      .given = tap_given,
				      .failed = tap_failed,
				      .paused = tap_paused,
				      .marked = tap_marked,
				      .owner = s };
	if (find_stamps(s, trace, err))
		return -1;
	peak_init(&s->peak);
	thread_table_init(&s->seen);
	live_set_init(&s->early);
	phases_init(&s->phases, &s->totals, trace_clock_of(trace_header(trace)).first_stamp);
	if (view && view->opened)
		view->opened(view->owner, s);
	return 0;
}

void selection_release(struct selection *s)
{
	free(s->stack);
	free(s->stack_state);
	free(s->pending);
	free(s->thread_number);
	thread_table_release(&s->seen);
	live_set_release(&s->early);
	phases_release(&s->phases);
	free(s->phases.phase); /* told's, once it is finished */
	free(s->phases.dump);
}
