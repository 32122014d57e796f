/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/shown_stacks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/startup.h"
#include "analyzer/report/std_frames.h"
#include "analyzer/report/tree_order.h"
#include "analyzer/trace/stack_tree.h"

/* What is known of a node of the result's tree. */
struct node_state {
	uint32_t shown;  /* its node in the tree of names */
	uint64_t places; /* of the addresses down to it: equal for equal ones */
	bool is_needed;  /* it is a stack of the result, or a caller in one */
	enum startup_state startup;
};

struct shown_stacks {
	const struct frame_names *frames;
	struct std_frames *left_out; /* NULL: none are */
	const struct result *result;
	const struct stack_tree *tree;
	struct node_state *state; /* by node of the result's tree */
	/* Its frames are numbers of names; value is the number of a frame that has that name. */
	struct stack_tree *names;
	uint32_t *rank; /* of the nodes of names: their order */
	struct shown_stack *stack;
	size_t count, room;
	uint32_t *next; /* by stack of the result: another that is shown as the same, or
			   SHOWN_STACKS_END */
	uint64_t elided_calls, truncated_calls;
};

/* The innermost frame of a frame id. */
static const struct frame_name *get_frame(const struct shown_stacks *stacks, uint32_t id)
{
	return frame_names_get(stacks->frames, id);
}

/* The node of names below `parent` for a frame, and for those that it is inlined into. */
static uint32_t add_name(struct shown_stacks *stacks, uint32_t parent,
			 const struct frame_name *frame)
{
	uint32_t node;

	if (frame->outer)
		parent = add_name(stacks, parent, frame->outer);
	if (parent && stacks->left_out && std_frames_has(stacks->left_out, frame))
		return parent;
	node = stack_tree_child(stacks->names, parent, frame->name);
	if (stacks->names->node[node].value == STACK_TREE_NO_VALUE)
		stacks->names->node[node].value = frame->number;
	return node;
}

/* The child of the root above a node of names. */
static uint32_t find_outermost(const struct stack_tree *names, uint32_t node)
{
	while (stack_tree_parent(names, node))
		node = stack_tree_parent(names, node);
	return node;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* One address may have several ids: two threads came to it at once, or a library went meanwhile. */
static uint64_t add_place(uint64_t places, const struct frame_name *physical)
{
	const uint64_t in = mix(places, (uint64_t)(uintptr_t)physical->module);

	return mix(mix(in, physical->offset), physical->module ? 0 : physical->name);
}

static void name_node(struct shown_stacks *stacks, uint32_t node)
{
	const struct frame_name *frame = get_frame(stacks, stack_tree_frame(stacks->tree, node));
	const struct node_state *up = &stacks->state[stack_tree_parent(stacks->tree, node)];
	struct node_state *state = &stacks->state[node];
	enum startup_drop drop;
	uint32_t parent = up->shown;

	state->places = add_place(up->places, frame_name_physical(frame));
	state->startup = startup_step(up->startup, frame_name_physical(frame), &drop);
	if (drop == STARTUP_DROP_ALL)
		parent = 0;
	else if (drop == STARTUP_DROP_LIBC)
		parent = find_outermost(stacks->names, parent);
	state->shown = add_name(stacks, parent, frame);
}

/* The tree also has stacks that only freed, or that were cut: their frames need no name. */
static void name_all(struct shown_stacks *stacks, const struct result *result)
{
	stacks->state = xcalloc(stacks->tree->count, sizeof(*stacks->state));
	for (size_t i = 0; i < result->stacks; i++)
		stacks->state[result->stack[i].node].is_needed = true;
	for (uint32_t node = stacks->tree->count; node-- > 1;)
		if (stacks->state[node].is_needed)
			stacks->state[stack_tree_parent(stacks->tree, node)].is_needed = true;
	stacks->state[0].startup = STARTUP_ROOT;
	for (uint32_t node = 1; node < stacks->tree->count; node++)
		if (stacks->state[node].is_needed)
			name_node(stacks, node);
}

/* The entry of a node of names, added when it is new. index: node of names -> entry + 1. */
static struct shown_stack *find_stack(struct shown_stacks *stacks, uint32_t *index, uint32_t shown)
{
	if (!index[shown]) {
		if (stacks->count == stacks->room) {
			stacks->room = stacks->room * 2 + 64;
			stacks->stack =
				xreallocarray(stacks->stack, stacks->room, sizeof(*stacks->stack));
		}
		stacks->stack[stacks->count] =
			(struct shown_stack){ .sum.node = shown, .first = SHOWN_STACKS_END };
		index[shown] = (uint32_t)++stacks->count;
	}
	return &stacks->stack[index[shown] - 1];
}

/* A stack of the result as what it is shown, by which addresses. */
struct place {
	uint32_t shown;
	uint64_t places;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->shown != b->shown)
		return a->shown < b->shown ? -1 : 1;
	return a->places < b->places ? -1 : a->places > b->places;
}

/* index: as of find_stack, which has all of them. */
static void count_merged(struct shown_stacks *stacks, const struct result *result, uint32_t *index)
{
	struct place *place = xreallocarray(NULL, result->stacks + 1, sizeof(*place));

	for (size_t i = 0; i < result->stacks; i++) {
		const struct node_state *state = &stacks->state[result->stack[i].node];

		place[i] = (struct place){ state->shown, state->places };
	}
	qsort(place, result->stacks, sizeof(*place), compare_places);
	for (size_t i = 0; i < result->stacks; i++)
		if (!i || compare_places(&place[i - 1], &place[i]))
			find_stack(stacks, index, place[i].shown)->merged++;
	free(place);
}

static void merge(struct shown_stacks *stacks, const struct result *result)
{
	const uint32_t elided = get_frame(stacks, XT_ID_ELIDED)->number;
	const uint32_t truncated = get_frame(stacks, XT_ID_TRUNCATED)->number;
	uint32_t *index = xcalloc(stacks->names->count, sizeof(*index));

	stacks->next = xcalloc(result->stacks + 1, sizeof(*stacks->next));
	for (size_t i = 0; i < result->stacks; i++) {
		const struct stack_totals *from = &result->stack[i];
		const uint32_t shown = stacks->state[from->node].shown;
		struct shown_stack *to = find_stack(stacks, index, shown);
		const uint32_t root = find_outermost(stacks->names, shown);

		stack_totals_add(&to->sum, from);
		stacks->next[i] = to->first;
		to->first = (uint32_t)i;
		if (root && stacks->names->node[root].value == elided)
			stacks->elided_calls += from->calls;
		if (root && stacks->names->node[root].value == truncated)
			stacks->truncated_calls += from->calls;
	}
	count_merged(stacks, result, index);
	free(index);
}

struct shown_stacks *shown_stacks_new(const struct frame_names *frames, const struct result *result,
				      bool folds_std)
{
	struct shown_stacks *stacks = xcalloc(1, sizeof(*stacks));

	stacks->frames = frames;
	stacks->left_out = folds_std ? std_frames_new() : NULL;
	stacks->result = result;
	stacks->tree = result->tree;
	stacks->names = stack_tree_new();
	name_all(stacks, result);
	merge(stacks, result);
	free(stacks->state);
	stacks->state = NULL;
	stacks->rank = tree_order_build(stacks->names, frame_names_symbolizer(stacks->frames));
	return stacks;
}

void shown_stacks_free(struct shown_stacks *stacks)
{
	if (!stacks)
		return;
	std_frames_free(stacks->left_out);
	free(stacks->rank);
	free(stacks->next);
	free(stacks->stack);
	stack_tree_free(stacks->names);
	free(stacks);
}

uint64_t shown_stacks_elided_calls(const struct shown_stacks *stacks)
{
	return stacks->elided_calls;
}

uint64_t shown_stacks_truncated_calls(const struct shown_stacks *stacks)
{
	return stacks->truncated_calls;
}

uint32_t shown_stacks_nodes(const struct shown_stacks *stacks)
{
	return stacks->names->count;
}

size_t shown_stacks_count(const struct shown_stacks *stacks)
{
	return stacks->count;
}

const struct shown_stack *shown_stacks_at(const struct shown_stacks *stacks, size_t number)
{
	return &stacks->stack[number];
}

uint32_t shown_stacks_next(const struct shown_stacks *stacks, uint32_t index)
{
	return stacks->next[index];
}

const struct frame_name *shown_stacks_frame(const struct shown_stacks *stacks, uint32_t node)
{
	return symbolizer_frame(frame_names_symbolizer(stacks->frames),
				stacks->names->node[node].value);
}

uint32_t shown_stacks_parent(const struct shown_stacks *stacks, uint32_t node)
{
	return stack_tree_parent(stacks->names, node);
}

/* The list goes from the last to the first, so that of equal ones the first is taken. */
static const struct stack_totals *find_heaviest(const struct shown_stacks *stacks,
						const struct shown_stack *stack, enum metric metric)
{
	const struct stack_totals *best = &stacks->result->stack[stack->first];

	for (uint32_t i = stack->first; i != SHOWN_STACKS_END; i = stacks->next[i]) {
		const struct stack_totals *one = &stacks->result->stack[i];
		const uint64_t weight = metric_weight(one, metric);
		const uint64_t most = metric_weight(best, metric);

		if (weight > most ||
		    (weight == most && metric_blocks(one, metric) >= metric_blocks(best, metric)))
			best = one;
	}
	return best;
}

struct shown_walk shown_stacks_walk(const struct shown_stacks *stacks,
				    const struct shown_stack *stack, enum metric metric)
{
	return (struct shown_walk){ stacks, stack->sum.node,
				    find_heaviest(stacks, stack, metric)->node, NULL };
}

uint32_t shown_stacks_earliest(const struct shown_stacks *stacks, const struct shown_stack *stack)
{
	uint32_t index = stack->first;

	while (stacks->next[index] != SHOWN_STACKS_END)
		index = stacks->next[index];
	return index;
}

struct shown_walk shown_stacks_walk_earliest(const struct shown_stacks *stacks,
					     const struct shown_stack *stack)
{
	const uint32_t index = shown_stacks_earliest(stacks, stack);

	return (struct shown_walk){ stacks, stack->sum.node, stacks->result->stack[index].node,
				    NULL };
}

/* The next frame of the stack of the result, or NULL. */
static const struct frame_name *next_frame(struct shown_walk *walk)
{
	const struct shown_stacks *stacks = walk->stacks;
	const struct frame_name *frame = walk->outer;

	if (!frame && walk->node) {
		frame = get_frame(stacks, stack_tree_frame(stacks->tree, walk->node));
		walk->node = stack_tree_parent(stacks->tree, walk->node);
	}
	walk->outer = frame ? frame->outer : NULL;
	return frame;
}

const struct frame_name *shown_walk_next(struct shown_walk *walk)
{
	const struct shown_stacks *stacks = walk->stacks;
	const struct frame_name *frame;

	if (!walk->shown)
		return NULL;
	do /* over the frames that are not shown, to the one of that name */
		frame = next_frame(walk);
	while (frame && frame->name != stack_tree_frame(stacks->names, walk->shown));
	walk->shown = stack_tree_parent(stacks->names, walk->shown);
	return frame;
}

struct shown_sum shown_stacks_sum(const struct shown_stacks *stacks, enum metric metric)
{
	struct shown_sum sum = { 0, 0 };

	for (size_t i = 0; i < stacks->count; i++) {
		sum.weight += metric_weight(&stacks->stack[i].sum, metric);
		sum.blocks += metric_blocks(&stacks->stack[i].sum, metric);
	}
	return sum;
}

struct order_by {
	enum metric metric;
	const uint32_t *rank;
};

static int compare_stacks(const void *left, const void *right, void *data)
{
	const struct shown_stack *a = *(const struct shown_stack *const *)left;
	const struct shown_stack *b = *(const struct shown_stack *const *)right;
	const struct order_by *by = data;
	const uint64_t a_weight = metric_weight(&a->sum, by->metric);
	const uint64_t b_weight = metric_weight(&b->sum, by->metric);

	if (a_weight != b_weight)
		return a_weight > b_weight ? -1 : 1;
	return by->rank[a->sum.node] < by->rank[b->sum.node]
		       ? -1
		       : by->rank[a->sum.node] > by->rank[b->sum.node];
}

struct shown_list shown_stacks_list(const struct shown_stacks *stacks, enum metric metric,
				    uint64_t top)
{
	struct shown_list list = { .stack = xcalloc(stacks->count + 1, sizeof(*list.stack)) };
	struct order_by by = { metric, stacks->rank };

	for (size_t i = 0; i < stacks->count; i++) {
		const struct stack_totals *sum = &stacks->stack[i].sum;

		if (metric_weight(sum, metric) || metric_blocks(sum, metric))
			list.stack[list.all++] = &stacks->stack[i];
	}
	qsort_r(list.stack, list.all, sizeof(*list.stack), compare_stacks, &by);
	list.count = top && top < list.all ? (size_t)top : list.all;
	for (size_t i = list.count; i < list.all; i++) {
		list.rest += metric_weight(&list.stack[i]->sum, metric);
		list.rest_blocks += metric_blocks(&list.stack[i]->sum, metric);
	}
	return list;
}
