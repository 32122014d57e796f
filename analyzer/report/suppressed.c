/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/suppressed.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/page_table.h"
#include "analyzer/trace/stack_tree.h"

/* Of the innermost frame that one of them matches; all frames count, shown or not. */
static size_t find_frame(const struct suppressions *list, const struct frame_name *frame)
{
	size_t found = SUPPRESSION_NONE;

	if (frame->module)
		found = suppressions_find(list, frame->module->path);
	for (; frame && found == SUPPRESSION_NONE; frame = frame->outer) {
		found = suppressions_find(list, frame->function);
		if (found == SUPPRESSION_NONE && *frame->line.file)
			found = suppressions_find(list, frame->line.file);
	}
	return found;
}

static void need(bool *is_needed, const struct stack_totals *stack, size_t stacks)
{
	for (size_t i = 0; i < stacks; i++)
		if (stack[i].live_blocks)
			is_needed[stack[i].node] = true;
}

/* Nodes of stacks that leak, and their callers: only those have to have names. */
static bool *find_needed(const struct result *result)
{
	const struct stack_tree *tree = result->tree;
	bool *is_needed = xcalloc(tree->count, sizeof(*is_needed));

	need(is_needed, result->stack, result->stacks);
	if (result->told.phase_stack)
		need(is_needed, result->told.phase_stack, result->told.phase_stacks);
	for (uint32_t node = tree->count; node-- > 1;)
		if (is_needed[node])
			is_needed[stack_tree_parent(tree, node)] = true;
	return is_needed;
}

struct frame_suppression {
	bool is_known;
	size_t which;
};

static size_t *find_nodes(const struct suppressions *list, const struct result *result,
			  const struct frame_names *names)
{
	const struct stack_tree *tree = result->tree;
	size_t *by_node = xcalloc(tree->count, sizeof(*by_node));
	bool *is_needed = find_needed(result);
	struct page_table known; /* struct frame_suppression, by number of the innermost frame */

	page_table_init(&known, sizeof(struct frame_suppression));
	for (uint32_t node = 0; node < tree->count; node++) {
		const struct frame_name *frame;
		struct frame_suppression *own;

		by_node[node] = SUPPRESSION_NONE;
		if (!node || !is_needed[node])
			continue;
		frame = frame_names_get(names, stack_tree_frame(tree, node));
		own = page_table_make(&known, frame->number);
		if (!own->is_known)
			*own = (struct frame_suppression){ true, find_frame(list, frame) };
		by_node[node] = own->which == SUPPRESSION_NONE
					? by_node[stack_tree_parent(tree, node)]
					: own->which;
	}
	page_table_release(&known);
	free(is_needed);
	return by_node;
}

static void add(struct suppressed *to, const struct stack_totals *stack)
{
	to->bytes += stack->live_bytes;
	to->blocks += stack->live_blocks;
	to->stacks++;
}

void suppressed_find(struct suppressed_leaks *leaks, const struct suppressions *suppressions,
		     const struct result *result, const struct frame_names *names)
{
	*leaks = (struct suppressed_leaks){ .suppressions = suppressions };
	leaks->by_node = find_nodes(suppressions, result, names);
	leaks->entry = xcalloc(suppressions->count + 1, sizeof(*leaks->entry));
	for (size_t i = 0; i < result->stacks; i++) {
		const struct stack_totals *stack = &result->stack[i];

		if (!suppressed_has(leaks, stack))
			continue;
		add(&leaks->entry[leaks->by_node[stack->node]], stack);
		add(&leaks->sum, stack);
	}
	for (size_t i = 0; i < suppressions->count; i++)
		if (!leaks->entry[i].stacks)
			warnings_add(&leaks->warnings, "%s:%u: leak:%s takes nothing",
				     suppressions->path, suppressions->entry[i].line,
				     suppressions->entry[i].pattern);
}

void suppressed_release(struct suppressed_leaks *leaks)
{
	free(leaks->entry);
	free(leaks->by_node);
	warnings_release(&leaks->warnings);
	*leaks = (struct suppressed_leaks){ .suppressions = NULL };
}

bool suppressed_has(const struct suppressed_leaks *leaks, const struct stack_totals *stack)
{
	return stack->live_blocks && leaks->by_node[stack->node] != SUPPRESSION_NONE;
}

struct suppressed suppressed_take(const struct suppressed_leaks *leaks, struct stack_totals *stack,
				  size_t stacks)
{
	struct suppressed taken = { .stacks = 0 };

	for (size_t i = 0; i < stacks; i++) {
		if (!suppressed_has(leaks, &stack[i]))
			continue;
		add(&taken, &stack[i]);
		stack[i].live_bytes = stack[i].live_blocks = 0;
	}
	return taken;
}

/* Of one phase, whose stacks are all there are, or its own. */
static void take_phase(const struct suppressed_leaks *leaks, struct told *told, size_t number)
{
	struct phase *phase = &told->phase[number];
	struct suppressed taken = leaks->sum;

	if (told->phase_stack)
		taken = suppressed_take(leaks, told->phase_stack + phase->first_stack,
					phase->stacks);
	phase->sum.live_bytes -= taken.bytes;
	phase->sum.live_blocks -= taken.blocks;
}

void suppressed_take_all(const struct suppressed_leaks *leaks, struct result *result)
{
	struct totals *totals = &result->totals;

	suppressed_take(leaks, result->stack, result->stacks);
	totals->leaked_bytes -= leaks->sum.bytes;
	totals->leaked_calls -= leaks->sum.blocks;
	totals->suppressed_calls = leaks->sum.blocks;
	for (size_t i = 0; i < result->told.phases; i++)
		take_phase(leaks, &result->told, i);
}
