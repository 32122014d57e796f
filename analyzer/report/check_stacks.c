/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/check_stacks.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/runs.h"

/* A row of the runs, and a stack of the trace that it is of. */
struct candidate {
	uint64_t before, after;
	uint32_t node;
	const struct shown_stack *shown; /* NULL: only the baseline has it */
	uint32_t first;                  /* when it allocated first, among the others */
	enum check_order order;
	bool is_low;
};

/* How far the wrong way it went; 0: not at all. */
static uint64_t step_of(const struct candidate *c)
{
	const uint64_t from = c->is_low ? c->after : c->before;
	const uint64_t to = c->is_low ? c->before : c->after;

	return to > from ? to - from : 0;
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	const uint64_t x = a->order == CHECK_BY_CHANGE ? step_of(a) : a->after;
	const uint64_t y = a->order == CHECK_BY_CHANGE ? step_of(b) : b->after;

	if (a->order == CHECK_BY_APPEARANCE)
		return a->first < b->first ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return a->node < b->node ? -1 : 1; /* the older one first */
}

static struct check_frame frame_of(const struct frame_name *frame)
{
	return (struct check_frame){ .function = xstrdup(frame->function),
				     .file = xstrdup(frame->line.file),
				     .module = xstrdup(frame->module ? frame->module->path : ""),
				     .line = frame->line.line,
				     .offset = frame->offset,
				     .is_inlined = frame->outer != NULL };
}

static void add_frame(struct check_stack *stack, struct check_frame frame)
{
	stack->frame = xreallocarray(stack->frame, stack->frames + 1, sizeof(frame));
	stack->frame[stack->frames++] = frame;
}

static struct check_stack stack_of(const struct candidate *c, const struct runs *runs,
				   const struct measured_stacks *trace)
{
	struct check_stack stack = { .before = c->before, .after = c->after };
	const struct frame_name *frame;
	struct shown_walk walk;

	if (c->shown) {
		walk = c->order == CHECK_BY_APPEARANCE
			       ? shown_stacks_walk_earliest(trace->stacks, c->shown)
			       : shown_stacks_walk(trace->stacks, c->shown, trace->metric);
		while ((frame = shown_walk_next(&walk)))
			add_frame(&stack, frame_of(frame));
		return stack;
	}
	for (uint32_t node = c->node; node; node = runs_parent(runs, node))
		add_frame(&stack, (struct check_frame){ .function = xstrdup(runs_frame(runs, node)),
							.file = xstrdup(""),
							.module = xstrdup("") });
	return stack;
}

/* One for each row that has something to say. Owned by the caller. */
static struct candidate *find_candidates(struct check_stacks *s, struct runs *runs,
					 const struct measured_stacks *trace, bool is_low)
{
	struct candidate *list = xcalloc(runs->rows + 1, sizeof(*list));
	size_t *row_of = runs_rows_of(runs, trace->stacks);
	const size_t last = runs->count - 1;
	size_t kept = 0;

	for (size_t i = 0; i < runs->rows; i++)
		list[i] =
			(struct candidate){ .before = last ? runs_value(&runs->row[i], 0, s->metric)
							   : 0,
					    .after = runs_value(&runs->row[i], last, s->metric),
					    .node = runs->row[i].node,
					    .order = s->order,
					    .is_low = is_low };
	for (size_t i = 0; i < shown_stacks_count(trace->stacks); i++) {
		const struct shown_stack *shown = shown_stacks_at(trace->stacks, i);
		struct candidate *c = &list[row_of[i]];

		const uint32_t first = shown_stacks_earliest(trace->stacks, shown);

		if (!c->shown || first < c->first) {
			c->shown = shown;
			c->first = first;
		}
	}
	for (size_t i = 0; i < runs->rows; i++)
		if (s->order == CHECK_BY_CHANGE ? step_of(&list[i]) != 0 : list[i].after != 0)
			list[kept++] = list[i];
	s->all = kept;
	free(row_of);
	return list;
}

static void build(struct check_stacks *s, struct runs *runs, const struct measured_stacks *trace,
		  bool is_low, uint64_t top)
{
	struct candidate *list = find_candidates(s, runs, trace, is_low);

	if (!s->all && s->order == CHECK_BY_CHANGE) { /* exceeded without a change of stacks */
		free(list);
		s->order = CHECK_BY_WEIGHT;
		list = find_candidates(s, runs, trace, is_low);
	}
	qsort(list, s->all, sizeof(*list), compare_candidates);
	s->count = top && top < s->all ? (size_t)top : s->all;
	s->stack = xcalloc(s->count + 1, sizeof(*s->stack));
	for (size_t i = 0; i < s->count; i++)
		s->stack[i] = stack_of(&list[i], runs, trace);
	free(list);
}

/* Where nothing may allocate it matters who began, whatever a baseline did. */
static bool forbids_calls(const struct limit *limit)
{
	return limit->metric->table == METRIC_CALLS &&
	       ((limit->has[LIMIT_MAX] && limit->bound[LIMIT_MAX].value == 0) ||
		(limit->has[LIMIT_EQUAL] && limit->bound[LIMIT_EQUAL].value == 0));
}

void check_stacks_build(struct check_stacks *s, const struct limit *limit,
			const struct measured *trace, const struct measured *baseline, bool is_low,
			uint64_t top)
{
	struct measured_stacks before, after;
	struct runs runs;

	*s = (struct check_stacks){ .has_before = baseline != NULL };
	runs_init(&runs, 2);
	if (baseline) {
		measured_stacks_build(&before, baseline, limit);
		runs_add(&runs, baseline->summary->trace, before.of, before.stacks, NULL);
	}
	measured_stacks_build(&after, trace, limit);
	runs_add(&runs, trace->summary->trace, after.of, after.stacks, NULL);
	runs_settle(&runs);
	s->metric = after.metric;
	s->by = after.by;
	s->weighs_blocks = after.weighs_blocks;
	s->turns = after.turns;
	s->order = forbids_calls(limit) ? CHECK_BY_APPEARANCE
		   : baseline           ? CHECK_BY_CHANGE
					: CHECK_BY_WEIGHT;
	build(s, &runs, &after, is_low, top);
	measured_stacks_release(&after);
	if (baseline)
		measured_stacks_release(&before);
	runs_release(&runs);
}

void check_stacks_release(struct check_stacks *s)
{
	for (size_t i = 0; i < s->count; i++) {
		for (size_t j = 0; j < s->stack[i].frames; j++) {
			free(s->stack[i].frame[j].function);
			free(s->stack[i].frame[j].file);
			free(s->stack[i].frame[j].module);
		}
		free(s->stack[i].frame);
	}
	free(s->stack);
	*s = (struct check_stacks){ .count = 0 };
}
