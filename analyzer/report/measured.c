/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/measured.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"

static double ratio_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* From one iteration mark to the next: of all phases when none is named, for they are one loop
 * then. */
static uint64_t count_turns(const struct told *told, const char *phase)
{
	uint64_t turns = 0;

	for (size_t i = 0; i < told->phases; i++)
		if (!phase || !strcmp(told->phase[i].name, phase))
			turns += told->phase[i].turns;
	return turns;
}

/* --- the stacks of a limit */

/* Those that the limit narrows all stacks down to but for group and function, and what names them:
 * of the whole trace, of a phase, or a part. */
struct scope {
	struct result part;
	const struct summary *summary;
};

static struct scope select_scope(const struct measured *m, const struct limit *limit)
{
	const struct told *told = &m->result->told;
	struct scope scope = { *m->result, m->summary };
	const struct phase *phase;

	if (limit->part != LIMITS_NO_PART) {
		const struct phase_part *part = &m->parts->part[limit->part];

		scope = (struct scope){ *m->parts->result, m->parts->summary };
		scope.part.stack = part->stack;
		scope.part.stacks = part->stacks;
		scope.part.totals = part->totals;
		return scope;
	}
	phase = limit->phase ? told_find_phase(told, limit->phase) : NULL;
	if (!phase || !told->phase_stack)
		return scope; /* one phase is all */
	scope.part.stack = told->phase_stack + phase->first_stack;
	scope.part.stacks = phase->stacks;
	scope.part.totals = totals_of_sum(&phase->sum);
	return scope;
}

/* The group that a limit names, NULL: none, it is of all stacks. Without it the groups are built
 * for nothing. */
static const struct group *select_group(struct groups *groups, const struct result *part,
					const struct frame_names *names, const struct measured *m,
					const struct limit *limit)
{
	const struct rules *rules = limit->group ? m->rules : &limit->rules;

	if (!limit->group && !limit->function)
		return NULL;
	groups_build(groups, rules, NULL, part, names);
	return groups_find(groups, limit->group ? limit->group : limit->function);
}

/* In a mean some stacks give back more than they take: they make up nothing of it. */
static void drop_shrunk(struct stack_totals *stack)
{
	if ((int64_t)stack->live_bytes < 0)
		stack->live_bytes = 0;
	if ((int64_t)stack->live_blocks < 0)
		stack->live_blocks = 0;
}

/* What weighs stacks by their bytes at the peak or the end weighs them by their blocks. */
static void weigh_blocks(struct stack_totals *stack)
{
	stack->peak_bytes = stack->peak_blocks;
	stack->live_bytes = stack->live_blocks;
}

/* The same part of stacks that are its own, each changed. */
static void change_stacks(struct measured_stacks *s, void (*change)(struct stack_totals *stack))
{
	struct stack_totals *owned = xcalloc(s->part.stacks + 1, sizeof(*owned));
	struct stack_totals sum = { .node = 0 };

	for (size_t i = 0; i < s->part.stacks; i++) {
		owned[i] = s->part.stack[i];
		change(&owned[i]);
		stack_totals_add(&sum, &owned[i]);
	}
	free(s->owned);
	s->owned = owned;
	s->part.stack = owned;
	s->part.totals = totals_of_sum(&sum);
}

static bool is_of_blocks(const struct limit_metric *metric)
{
	return metric->stack == offsetof(struct stack_totals, peak_blocks) ||
	       metric->stack == offsetof(struct stack_totals, live_blocks);
}

void measured_stacks_build(struct measured_stacks *s, const struct measured *m,
			   const struct limit *limit)
{
	const struct scope scope = select_scope(m, limit);
	const struct frame_names *names = scope.summary->names;
	const struct group *group;

	*s = (struct measured_stacks){ .part = scope.part,
				       .metric = limit->metric->table,
				       .by = metric_name(limit->metric->table) };
	if (limit->is_per_iteration) {
		s->turns = count_turns(&m->result->told, limit->phase);
		change_stacks(s, drop_shrunk);
		if (s->metric == METRIC_LEAKED)
			s->by = "growth";
	}
	s->weighs_blocks = is_of_blocks(limit->metric);
	if (s->weighs_blocks) {
		change_stacks(s, weigh_blocks);
		s->by = s->metric == METRIC_PEAK ? "peak blocks" : "leaked blocks";
	}
	group = select_group(&s->groups, &s->part, names, m, limit);
	s->has_groups = group != NULL;
	s->of = &s->part;
	if (group) {
		group_stacks_build(&s->group, &s->groups, group, &s->part);
		s->stacks = s->group.stacks;
		s->of = &s->group.part;
	} else {
		s->stacks = shown_stacks_new(names, &s->part, false);
	}
}

void measured_stacks_release(struct measured_stacks *s)
{
	if (s->has_groups) {
		group_stacks_release(&s->group);
		groups_release(&s->groups);
	} else {
		shown_stacks_free(s->stacks);
	}
	free(s->owned);
}

/* --- figures */

/* What stacks tell: of a group, a function, a thread. turns: what it is the mean of; 1: none. */
static char *figure_of_stacks(const struct measured *m, const struct limit *limit, uint64_t turns,
			      double *value)
{
	const struct limit_metric *metric = limit->metric;
	const struct scope scope = select_scope(m, limit);
	struct stack_totals sum = { .node = 0 };
	const struct group *group;
	struct groups groups;

	if (limit->group || limit->function) {
		group = select_group(&groups, &scope.part, scope.summary->names, m, limit);
		if (group)
			sum = group->sum;
		groups_release(&groups);
		if (!group)
			return xasprintf("the rules have no group \"%s\"", limit->group);
	} else {
		for (size_t i = 0; i < scope.part.stacks; i++)
			stack_totals_add(&sum, &scope.part.stack[i]);
	}
	if (metric->source == LIMIT_RATIO)
		*value = ratio_of(sum.temporary, sum.calls);
	else
		*value = (double)(int64_t)limit_metric_get(&sum, metric->stack) / (double)turns;
	return NULL;
}

static char *figure_of_iteration(const struct measured *m, const struct limit *limit,
				 const struct phase *named, uint64_t turns, double *value)
{
	const struct told *told = &m->result->told;
	uint64_t calls = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < told->phases; i++) {
		const struct phase *phase = &told->phase[i];

		if (named && phase != named)
			continue;
		sum += (int64_t)limit_metric_get(phase, limit->metric->turn);
		calls += phase->in_turns.allocation_calls;
	}
	if (limit->metric->source == LIMIT_RATIO)
		*value = ratio_of((uint64_t)sum, calls);
	else
		*value = (double)sum / (double)turns;
	return NULL;
}

static char *figure_of_phase(const struct limit *limit, const struct phase *phase, double *value)
{
	if (limit->metric->source == LIMIT_RATIO)
		*value = ratio_of(phase->sum.temporary, phase->sum.calls);
	else
		*value = (double)limit_metric_get(phase, limit->metric->phase);
	return NULL;
}

static char *figure_of_trace(const struct measured *m, const struct limit *limit, double *value)
{
	const struct totals *totals = &m->result->totals;

	switch (limit->metric->source) {
	case LIMIT_RATIO:
		*value = ratio_of(totals->temporary_calls, totals->allocation_calls);
		return NULL;
	case LIMIT_RSS:
		if (!m->rss)
			return xstrdup("no result of xalloc rss is given (--rss RSS.json)");
		*value = (double)m->rss->most_peak_bytes;
		return NULL;
	case LIMIT_UNEXPLAINED:
		if (!m->unexplained)
			return xstrdup("resident memory is not explained: that needs a result of "
				       "xalloc rss with a breakdown (--rss RSS.json)");
		*value = *m->unexplained;
		return NULL;
	default:
		*value = (double)limit_metric_get(totals, limit->metric->total);
		return NULL;
	}
}

/* Why there is no such thread; NULL: there is one. */
static char *find_thread(const struct measured *m, const struct limit_thread *thread)
{
	const uint64_t threads = m->result->totals.threads;

	if (thread->name && !thread_names_has(trace_thread_names(m->summary->trace), thread->name))
		return xasprintf("no thread is called \"%s\"", thread->name);
	if (thread->number >= threads)
		return xasprintf("the trace has %s", number_of(threads, "thread").text);
	return NULL;
}

bool measured_has_stacks(const struct measured *m, const struct limit *limit)
{
	const struct group *group;
	struct groups groups;
	bool has_any;

	if (!limit->group && !limit->function)
		return true;
	group = select_group(&groups, m->result, m->summary->names, m, limit);
	has_any = group && group->stacks;
	groups_release(&groups);
	return has_any;
}

char *measured_figure(const struct measured *m, const struct limit *limit, double *value)
{
	const struct told *told = &m->result->told;
	const struct phase *phase = NULL;
	uint64_t turns = 1;

	*value = 0;
	if (limit->has_thread) {
		char *why = find_thread(m, &limit->thread);

		if (why)
			return why;
	}
	if (limit->phase) {
		phase = told_find_phase(told, limit->phase);
		if (!phase)
			return xasprintf("the program told of no phase \"%s\"", limit->phase);
	}
	if (limit->metric->source == LIMIT_OF_CLOCK &&
	    (trace_has_dropped(m->summary->trace, TRACE_STAMPS) ||
	     m->result->totals.peak_time_error_ns == UINT64_MAX))
		return xstrdup("nothing is known of times");
	if (limit->is_per_iteration)
		turns = count_turns(told, limit->phase);
	if (!turns)
		return xstrdup("the program did not mark two iterations there");
	if (limit->group || limit->function || limit->has_thread)
		return figure_of_stacks(m, limit, turns, value);
	if (limit->is_per_iteration)
		return figure_of_iteration(m, limit, phase, turns, value);
	if (phase)
		return figure_of_phase(limit, phase, value);
	return figure_of_trace(m, limit, value);
}
