/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/phase_parts.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/depth_cut.h"
#include "analyzer/model/peak.h"
#include "analyzer/model/phase_stacks.h"
#include "analyzer/trace/thread_names.h"
#include "analyzer/trace/trace.h"
#include "preload/trace/format.h"

/* Indexes of stacks, in the order in which they were noted. */
struct index_list {
	uint32_t *index;
	size_t count, room;
};

/* What a stack did since the latest iteration mark. */
struct turn_stack {
	struct stack_totals grown;
	bool is_touched;
};

#define NO_PHASE UINT32_MAX

/* One part while the replay goes on. */
struct part_work {
	const struct phase_part_rule *rule;
	struct stack_totals *stack; /* by the replay's stacks */
	struct turn_stack *turn;    /* the same; of turns only */
	size_t room;
	struct index_list callers; /* those that allocated, in that order */
	struct index_list touched; /* those of the turn that is on; and which of them allocated */
	struct index_list turn_callers;
	struct peak peak; /* what is live of the part's thread */
	uint64_t highest; /* of all blocks, while the phase was on */
	bool is_on;       /* the phase */
	uint32_t phase;   /* its number; NO_PHASE: it was not there yet */
	bool is_in_turn;
	/* The thread that was looked at last, and whether the part is of it. */
	uint32_t thread;
	bool has_looked, fits;
};

static void note(struct index_list *list, uint32_t index)
{
	if (list->count == list->room) {
		list->room += list->room / 2 + 64;
		list->index = xreallocarray(list->index, list->room, sizeof(*list->index));
	}
	list->index[list->count++] = index;
}

static void make_room(struct part_work *w, uint32_t index)
{
	const size_t room = (size_t)index + index / 2 + 64;

	if (index < w->room)
		return;
	w->stack = xreallocarray(w->stack, room, sizeof(*w->stack));
	memset(w->stack + w->room, 0, (room - w->room) * sizeof(*w->stack));
	if (w->rule->is_of_turns) {
		w->turn = xreallocarray(w->turn, room, sizeof(*w->turn));
		memset(w->turn + w->room, 0, (room - w->room) * sizeof(*w->turn));
	}
	w->room = room;
}

/* What happens to the block now belongs to the part; with turns as if the one that is on will be
 * whole. */
static bool is_of_part(const struct phase_parts *parts, struct part_work *w,
		       const struct selected_block *block)
{
	if (w->rule->is_of_turns && !w->is_in_turn)
		return false;
	if (!w->rule->has_thread)
		return true;
	if (!w->has_looked || w->thread != block->thread) {
		w->has_looked = true;
		w->thread = block->thread;
		w->fits = thread_names_fits(parts->threads, block->thread, w->rule->thread,
					    w->rule->thread_name);
	}
	return w->fits;
}

/* --- turns */

static struct stack_totals *touch(struct part_work *w, uint32_t index)
{
	struct turn_stack *turn = &w->turn[index];

	if (!turn->is_touched) {
		turn->is_touched = true;
		note(&w->touched, index);
	}
	return &turn->grown;
}

/* The turn is over; one that the phase's end cuts off counts for nothing. */
static void end_turn(struct part_work *w, bool is_whole)
{
	for (size_t i = 0; i < w->turn_callers.count && is_whole; i++)
		if (!w->stack[w->turn_callers.index[i]].calls)
			note(&w->callers, w->turn_callers.index[i]);
	for (size_t i = 0; i < w->touched.count; i++) {
		const uint32_t index = w->touched.index[i];

		if (is_whole)
			stack_totals_add(&w->stack[index], &w->turn[index].grown);
		w->turn[index] = (struct turn_stack){ .is_touched = false };
	}
	w->touched.count = 0;
	w->turn_callers.count = 0;
	w->is_in_turn = false;
}

/* --- the peak */

/* What the part holds now is its share of the peak. */
static void take_instant(struct part_work *w)
{
	w->peak.bytes = w->peak.live_bytes;
	w->peak.blocks = w->peak.live_blocks;
	if (++w->peak.epoch == 0)
		peak_next_epoch(&w->peak, w->stack, w->room);
}

static void look_for_highest(struct part_work *w, uint64_t live_bytes)
{
	if (!w->rule->phase || !w->is_on || live_bytes <= w->highest)
		return;
	w->highest = live_bytes;
	take_instant(w);
}

/* --- the view */

static void opened(void *owner, const struct selection *selection)
{
	struct phase_parts *parts = owner;

	parts->threads = trace_thread_names(selection->trace);
}

static void begin_block(struct part_work *w, const struct selected_block *block)
{
	struct stack_totals *stack;

	make_room(w, block->stack);
	if (w->rule->is_of_turns) {
		stack = touch(w, block->stack);
		stack->live_bytes += block->size;
		stack->live_blocks++;
	} else {
		stack = &w->stack[block->stack];
		peak_add(&w->peak, stack, block->size);
		if (!w->is_on)
			return;
	}
	if (!stack->calls)
		note(w->rule->is_of_turns ? &w->turn_callers : &w->callers, block->stack);
	stack->calls++;
	stack->bytes += block->size;
}

static void begun(void *owner, const struct selected_block *block, const struct event *event)
{
	struct phase_parts *parts = owner;

	if (block->stack >= parts->nodes) {
		parts->nodes = (size_t)block->stack + block->stack / 2 + 64;
		parts->node = xreallocarray(parts->node, parts->nodes, sizeof(*parts->node));
	}
	parts->node[block->stack] = event->node;
	for (size_t i = 0; i < parts->count; i++)
		if (is_of_part(parts, &parts->work[i], block))
			begin_block(&parts->work[i], block);
}

static void taken(void *owner, struct selected_block *block)
{
	struct phase_parts *parts = owner;

	for (size_t i = 0; i < parts->count && block->is_temporary; i++) {
		struct part_work *w = &parts->work[i];

		if (!is_of_part(parts, w, block))
			continue;
		make_room(w, block->stack);
		if (w->rule->is_of_turns)
			touch(w, block->stack)->temporary++;
		else
			w->stack[block->stack].temporary++;
	}
}

static void ended(void *owner, const struct selected_block *block, const struct event *event,
		  enum selection_end how)
{
	struct phase_parts *parts = owner;

	(void)event;
	(void)how;
	for (size_t i = 0; i < parts->count; i++) {
		struct part_work *w = &parts->work[i];
		struct stack_totals *stack;

		if (!is_of_part(parts, w, block))
			continue;
		make_room(w, block->stack);
		if (w->rule->is_of_turns) {
			stack = touch(w, block->stack);
			stack->live_bytes -= block->size;
			stack->live_blocks--;
		} else {
			peak_remove(&w->peak, &w->stack[block->stack], block->size);
		}
	}
}

static void step(void *owner, uint64_t stamp, uint64_t live_bytes, uint64_t live_blocks)
{
	struct phase_parts *parts = owner;

	(void)stamp;
	(void)live_blocks;
	parts->live_bytes = live_bytes;
	for (size_t i = 0; i < parts->count; i++)
		look_for_highest(&parts->work[i], live_bytes);
}

static void instant(void *owner)
{
	struct phase_parts *parts = owner;

	for (size_t i = 0; i < parts->count; i++)
		if (!parts->rule[i].phase)
			take_instant(&parts->work[i]);
}

/* A phase is on for the first time: is it what the part is of? Numbers are given in order. */
static void meet_phase(struct phase_parts *parts, uint32_t phase, const char *name)
{
	if (phase < parts->phases)
		return;
	parts->phases = phase + 1;
	for (size_t i = 0; i < parts->count; i++)
		if (parts->rule[i].phase && !strcmp(parts->rule[i].phase, name))
			parts->work[i].phase = phase;
}

static void marked(void *owner, const struct event *mark, uint32_t phase)
{
	struct phase_parts *parts = owner;

	if (mark->fn == XT_MARK_PHASE)
		meet_phase(parts, phase, mark->name);
	for (size_t i = 0; i < parts->count; i++) {
		struct part_work *w = &parts->work[i];

		if (mark->fn == XT_MARK_PHASE) {
			end_turn(w, false);
			w->is_on = !w->rule->phase || w->phase == phase;
			look_for_highest(w, parts->live_bytes);
		} else if (mark->fn == XT_MARK_ITERATION && w->is_on) {
			end_turn(w, true);
			w->is_in_turn = true;
		}
	}
}

/* --- beginning and end */

void phase_parts_init(struct phase_parts *parts, const struct phase_part_rule *rule, size_t count)
{
	*parts = (struct phase_parts){ .view = { .opened = opened,
						 .begun = begun,
						 .taken = taken,
						 .ended = ended,
						 .step = step,
						 .instant = instant,
						 .marked = marked,
						 .owner = parts },
				       .rule = rule,
				       .count = count };
	parts->work = xcalloc(count + 1, sizeof(*parts->work));
	parts->part = xcalloc(count + 1, sizeof(*parts->part));
	for (size_t i = 0; i < count; i++) {
		parts->work[i] = (struct part_work){ .rule = &rule[i], .phase = NO_PHASE };
		peak_init(&parts->work[i].peak);
	}
	meet_phase(parts, 0, EVENT_START_NAME);
	for (size_t i = 0; i < count; i++)
		parts->work[i].is_on = !rule[i].phase || !parts->work[i].phase;
}

void phase_parts_release(struct phase_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		free(parts->work[i].stack);
		free(parts->work[i].turn);
		free(parts->work[i].callers.index);
		free(parts->work[i].touched.index);
		free(parts->work[i].turn_callers.index);
		free(parts->part[i].stack);
	}
	free(parts->work);
	free(parts->part);
	free(parts->node);
	*parts = (struct phase_parts){ .count = 0 };
}

/* Of a phase, a stack that did not allocate in it is of another one: all there is of it here is
 * what it held at the phase's peak. */
static void keep_peak_only(struct stack_totals *stack)
{
	*stack = (struct stack_totals){ .peak_bytes = stack->peak_bytes,
					.peak_blocks = stack->peak_blocks };
}

/* The stacks that have anything, the callers first. */
static size_t collect(struct part_work *w, const uint32_t *node, struct stack_totals *out)
{
	size_t count = 0;

	for (size_t i = 0; i < w->callers.count; i++) {
		struct stack_totals *stack = &w->stack[w->callers.index[i]];

		out[count] = *stack;
		out[count++].node = node[w->callers.index[i]];
		*stack = (struct stack_totals){ .node = 0 };
	}
	for (size_t i = 0; i < w->room; i++) {
		struct stack_totals *stack = &w->stack[i];

		if (w->rule->phase && !w->rule->is_of_turns)
			keep_peak_only(stack);
		if (!stack->temporary && !stack->live_bytes && !stack->live_blocks &&
		    !stack->peak_blocks)
			continue;
		out[count] = *stack;
		out[count++].node = node[i];
	}
	return count;
}

static void finish(struct phase_part *part, struct part_work *w, const uint32_t *node,
		   struct stack_tree *tree, uint32_t depth)
{
	struct stack_totals sum = { .node = 0 };

	if (!w->rule->is_of_turns)
		peak_settle(&w->peak, w->stack, w->room);
	part->stack = xcalloc(w->room + 1, sizeof(*part->stack));
	part->stacks = collect(w, node, part->stack);
	part->stacks = phase_stacks_unite(part->stack, part->stacks, tree);
	part->stacks = depth_cut_run(tree, part->stack, part->stacks, depth);
	for (size_t i = 0; i < part->stacks; i++)
		stack_totals_add(&sum, &part->stack[i]);
	part->totals = totals_of_sum(&sum);
}

/* What the stacks of a part add up to, if it is of all threads. */
static struct stack_totals expect(const struct phase_part_rule *rule, const struct phase *phase)
{
	const struct totals *turns = &phase->in_turns;
	struct stack_totals sum = phase->sum;

	if (rule->is_of_turns)
		return (struct stack_totals){ .calls = turns->allocation_calls,
					      .bytes = turns->allocated_bytes,
					      .temporary = turns->temporary_calls,
					      .live_bytes =
						      (uint64_t)phase->turn[ITERATION_LIVE].sum };
	if (rule->phase) {
		sum.peak_bytes = phase->highest_bytes;
		sum.peak_blocks = phase->highest_blocks;
	}
	return sum;
}

static void check(const struct phase_part *part, const struct part_work *w, const struct told *told)
{
	const struct phase_part_rule *rule = w->rule;
	struct stack_totals all = { .node = 0 };

	for (size_t i = 0; i < told->phases; i++) {
		const struct stack_totals sum = expect(rule, &told->phase[i]);

		if (!rule->phase || i == w->phase)
			stack_totals_add(&all, &sum);
	}
	if (part->totals.allocation_calls != all.calls ||
	    part->totals.allocated_bytes != all.bytes ||
	    part->totals.temporary_calls != all.temporary ||
	    part->totals.leaked_bytes != all.live_bytes ||
	    part->totals.peak_bytes != all.peak_bytes ||
	    part->totals.peak_blocks != all.peak_blocks)
		BUG("the stacks of a phase do not add up to it");
}

void phase_parts_finish(struct phase_parts *parts, struct result *result, uint32_t depth)
{
	if (!depth || depth > XT_DEPTH_MAX)
		depth = XT_DEPTH_MAX;
	for (size_t i = 0; i < parts->count; i++) {
		finish(&parts->part[i], &parts->work[i], parts->node, result->tree, depth);
		if (!parts->rule[i].has_thread)
			check(&parts->part[i], &parts->work[i], &result->told);
	}
}
