/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/measured.h"

#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"

static const struct phase *find_phase(const struct told *told, const char *name)
{
	for (size_t i = 0; i < told->phases; i++)
		if (!strcmp(told->phase[i].name, name))
			return &told->phase[i];
	return NULL;
}

static double ratio_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* --- the stacks of a limit */

/* The result, or what one phase did of it. */
static void select_phase(struct result *part, const struct result *result, const char *name)
{
	const struct phase *phase = name ? find_phase(&result->told, name) : NULL;

	*part = *result;
	if (!phase || !result->told.phase_stack)
		return; /* one phase is all */
	part->stack = result->told.phase_stack + phase->first_stack;
	part->stacks = phase->stacks;
	part->totals = (struct totals){ .allocation_calls = phase->sum.calls,
					.allocated_bytes = phase->sum.bytes,
					.temporary_calls = phase->sum.temporary,
					.leaked_calls = phase->sum.live_blocks,
					.leaked_bytes = phase->sum.live_bytes,
					.peak_bytes = phase->sum.peak_bytes,
					.peak_blocks = phase->sum.peak_blocks };
}

/* The group that a limit names, NULL: none, it is of all stacks. Without it the groups are built
 * for nothing. */
static const struct group *select_group(struct groups *groups, const struct result *part,
					const struct measured *m, const struct limit *limit)
{
	const struct rules *rules = limit->group ? m->rules : &limit->rules;

	if (!limit->group && !limit->function)
		return NULL;
	groups_build(groups, rules, NULL, part, m->summary->names);
	return groups_find(groups, limit->group ? limit->group : limit->function);
}

void measured_stacks_build(struct measured_stacks *s, const struct measured *m,
			   const struct limit *limit)
{
	const struct group *group;

	if (limit->thread != LIMITS_NO_THREAD)
		m = &m->thread[limit->thread];
	*s = (struct measured_stacks){ .metric = limit->metric->table };
	/* What was live at the phase's own peak is not kept by stacks. */
	if (limit->phase && s->metric == METRIC_PEAK)
		s->metric = METRIC_BYTES;
	select_phase(&s->part, m->result, limit->phase);
	group = select_group(&s->groups, &s->part, m, limit);
	s->has_groups = group != NULL;
	s->of = &s->part;
	if (group) {
		group_stacks_build(&s->group, &s->groups, group, &s->part);
		s->stacks = s->group.stacks;
		s->of = &s->group.part;
	} else {
		s->stacks = shown_stacks_new(m->summary->names, &s->part, false);
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
}

/* --- figures */

static char *figure_of_group(const struct measured *m, const struct limit *limit, double *value)
{
	const struct limit_metric *metric = limit->metric;
	const struct group *group;
	struct groups groups;
	struct result part;

	select_phase(&part, m->result, limit->phase);
	group = select_group(&groups, &part, m, limit);
	if (group && metric->source == LIMIT_RATIO)
		*value = ratio_of(group->sum.temporary, group->sum.calls);
	else if (group)
		*value = (double)limit_metric_get(&group->sum, metric->stack);
	groups_release(&groups);
	return group ? NULL : xasprintf("the rules have no group \"%s\"", limit->group);
}

/* Of all phases when none is named: they are one loop then. */
static char *figure_of_iteration(const struct measured *m, const struct phase *named,
				 enum iteration_metric turn, double *value)
{
	const struct told *told = &m->result->told;
	uint64_t turns = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < told->phases; i++) {
		const struct phase *phase = &told->phase[i];

		if (named && phase != named)
			continue;
		turns += phase->turns;
		sum += phase->turn[turn].sum;
	}
	if (!turns)
		return xstrdup("the program did not mark two iterations there");
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

char *measured_figure(const struct measured *m, const struct limit *limit, double *value)
{
	const struct phase *phase = NULL;

	*value = 0;
	if (limit->thread != LIMITS_NO_THREAD) {
		const uint64_t threads = m->result->totals.threads;

		if (limit->who.name &&
		    !thread_names_has(trace_thread_names(m->summary->trace), limit->who.name))
			return xasprintf("no thread is called \"%s\"", limit->who.name);
		if (limit->who.number >= threads)
			return xasprintf("the trace has %s", number_of(threads, "thread").text);
		m = &m->thread[limit->thread];
	}
	if (limit->phase) {
		phase = find_phase(&m->result->told, limit->phase);
		if (!phase)
			return xasprintf("the program told of no phase \"%s\"", limit->phase);
	}
	if (limit->metric->source == LIMIT_OF_CLOCK &&
	    (trace_has_dropped(m->summary->trace, TRACE_STAMPS) ||
	     m->result->totals.peak_time_error_ns == UINT64_MAX))
		return xstrdup("nothing is known of times");
	if (limit->is_per_iteration)
		return figure_of_iteration(m, phase, (enum iteration_metric)limit->metric->turn,
					   value);
	if (limit->group || limit->function)
		return figure_of_group(m, limit, value);
	if (phase)
		return figure_of_phase(limit, phase, value);
	return figure_of_trace(m, limit, value);
}
