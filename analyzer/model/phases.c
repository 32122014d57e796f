/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/phases.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

#define DUMPS_MAX 10000u

static struct phase *add_phase(struct phases *phases, uint32_t text)
{
	phases->phase = xreallocarray(phases->phase, phases->count + 1, sizeof(*phases->phase));
	phases->phase[phases->count] = (struct phase){ .text = text };
	return &phases->phase[phases->count++];
}

static void begin(struct phases *phases, uint32_t number, const struct phase_moment *now)
{
	struct phase *phase = &phases->phase[number];

	if (!phase->intervals++)
		phase->bytes_before = now->live_bytes;
	phases->current = number;
	phases->begun = *now;
	phases->has_turn = false;
}

/* The number of the phase that text names, added when it is new. */
static uint32_t find(struct phases *phases, uint32_t text)
{
	if (text >= phases->texts) {
		const uint32_t texts = text + text / 2 + 16;

		phases->of_text = xreallocarray(phases->of_text, texts, sizeof(*phases->of_text));
		memset(phases->of_text + phases->texts, 0,
		       (texts - phases->texts) * sizeof(*phases->of_text));
		phases->texts = texts;
	}
	if (!phases->of_text[text]) {
		if (phases->count < PHASES_MAX)
			add_phase(phases, text);
		phases->of_text[text] = phases->count;
	}
	return phases->of_text[text] - 1;
}

void phases_init(struct phases *phases, const struct totals *totals, uint64_t first_stamp)
{
	const struct phase_moment now = { .totals = *totals, .stamp = first_stamp };

	*phases = (struct phases){ .count = 0 };
	phases->paused_stamp = first_stamp; /* if it begins with a pause */
	find(phases, EVENT_TEXT_START);
	begin(phases, 0, &now);
}

void phases_release(struct phases *phases)
{
	free(phases->of_text);
	phases->of_text = NULL;
}

static void end(struct phases *phases, const struct phase_moment *now, const struct peak *peak)
{
	struct phase *phase = &phases->phase[phases->current];

	phase->duration_ns += now->stamp - phases->begun.stamp; /* stamps until the end */
	totals_add_growth(&phase->during, &phases->begun.totals, &now->totals);
	phase->bytes_after = now->live_bytes;
	if (peak->recent_bytes > phase->highest_bytes) {
		phase->highest_bytes = peak->recent_bytes;
		phase->highest_blocks = peak->recent_blocks;
	}
}

static void add_turn(struct iteration_sum *sum, bool is_first, uint64_t from, uint64_t to)
{
	const int64_t grown = (int64_t)(to - from);

	sum->sum += grown;
	if (is_first || grown < sum->least)
		sum->least = grown;
	if (is_first || grown > sum->most)
		sum->most = grown;
}

static void iterate(struct phases *phases, const struct phase_moment *now)
{
	struct phase *phase = &phases->phase[phases->current];
	const struct phase_moment *last = &phases->turn;
	const bool is_first = !phase->turns;

	phases->iterations++;
	phase->iterations++;
	if (phases->has_turn) {
		add_turn(&phase->turn[ITERATION_CALLS], is_first, last->totals.allocation_calls,
			 now->totals.allocation_calls);
		add_turn(&phase->turn[ITERATION_BYTES], is_first, last->totals.allocated_bytes,
			 now->totals.allocated_bytes);
		add_turn(&phase->turn[ITERATION_TEMPORARY], is_first, last->totals.temporary_calls,
			 now->totals.temporary_calls);
		add_turn(&phase->turn[ITERATION_FREES], is_first, last->totals.free_calls,
			 now->totals.free_calls);
		add_turn(&phase->turn[ITERATION_LIVE], is_first, last->live_bytes, now->live_bytes);
		totals_add_growth(&phase->in_turns, &last->totals, &now->totals);
		phase->turns_ns += now->stamp - last->stamp; /* stamps until the end */
		phase->turns++;
	}
	phases->turn = *now;
	phases->has_turn = true;
}

static void add_dump(struct phases *phases, const struct phase_moment *now)
{
	if (phases->dumps == DUMPS_MAX)
		return;
	if (phases->dumps == phases->dump_room) {
		phases->dump_room = phases->dump_room * 2 + 16;
		phases->dump =
			xreallocarray(phases->dump, phases->dump_room, sizeof(*phases->dump));
	}
	phases->dump[phases->dumps++] = (struct dump){ .live_bytes = now->live_bytes,
						       .live_blocks = now->live_blocks,
						       .events = now->totals.events,
						       .stamp = now->stamp };
}

/* A resume without a pause before it ends the one that the trace began with. */
static void resume(struct phases *phases, uint64_t stamp)
{
	phases->pauses += !phases->pauses;
	if (stamp > phases->paused_stamp)
		phases->paused_stamps += stamp - phases->paused_stamp;
	phases->is_paused = false;
}

static struct phase_moment moment(const struct totals *totals, const struct peak *peak,
				  uint64_t stamp)
{
	return (struct phase_moment){ *totals, peak->live_bytes, peak->live_blocks, stamp };
}

static void restart_recent(struct peak *peak)
{
	peak->recent_bytes = peak->live_bytes;
	peak->recent_blocks = peak->live_blocks;
}

void phases_mark(struct phases *phases, const struct event *mark, const struct totals *totals,
		 struct peak *peak)
{
	struct phase_moment now = moment(totals, peak, mark->stamp0);

	switch (mark->fn) {
	case XT_MARK_PHASE:
		end(phases, &now, peak);
		begin(phases, find(phases, mark->text), &now);
		restart_recent(peak);
		break;
	case XT_MARK_ITERATION:
		iterate(phases, &now);
		break;
	case XT_MARK_PAUSE:
		phases->pauses++;
		phases->paused_stamp = now.stamp;
		phases->is_paused = true;
		break;
	case XT_MARK_RESUME:
		resume(phases, now.stamp);
		break;
	case XT_MARK_DUMP:
		add_dump(phases, &now);
		break;
	default: /* of a later version */
		break;
	}
}

/* stacks are sorted by phase. */
static void add_stacks(struct phases *phases, const struct stack_totals *stack, size_t stacks)
{
	for (size_t i = 0; i < stacks; i++) {
		struct phase *phase = &phases->phase[stack[i].phase];

		if (!phase->stacks++)
			phase->first_stack = i;
		stack_totals_add(&phase->sum, &stack[i]);
	}
}

void phases_finish(struct phases *phases, const struct name_pool *texts,
		   const struct trace_clock *clock, const struct totals *totals,
		   const struct peak *peak, uint64_t last_stamp, struct told *told)
{
	const struct phase_moment now = moment(totals, peak, last_stamp);

	end(phases, &now, peak);
	if (phases->is_paused)
		resume(phases, last_stamp);
	add_stacks(phases, told->phase_stack, told->phase_stacks);
	for (uint32_t i = 0; i < phases->count; i++) {
		struct phase *phase = &phases->phase[i];

		phase->name = name_pool_text(texts, phase->text);
		phase->duration_ns = trace_clock_ns(clock, clock->first_stamp + phase->duration_ns);
		phase->turns_ns = trace_clock_ns(clock, clock->first_stamp + phase->turns_ns);
	}
	for (size_t i = 0; i < phases->dumps; i++)
		phases->dump[i].time_ns = trace_clock_ns(clock, phases->dump[i].stamp);
	told->phase = phases->phase;
	told->phases = phases->count;
	told->iterations = phases->iterations;
	told->dump = phases->dump;
	told->dumps = phases->dumps;
	told->pauses = phases->pauses;
	told->paused_ns = trace_clock_ns(clock, clock->first_stamp + phases->paused_stamps);
}
