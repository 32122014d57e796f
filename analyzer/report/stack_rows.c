/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/stack_rows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

struct stack_figures *stack_figure_table_at(struct stack_figure_table *table, uint32_t stack)
{
	if (stack >= table->stacks) {
		const size_t stacks = (size_t)stack + stack / 2 + 64;

		table->stack = xreallocarray(table->stack, stacks, sizeof(*table->stack));
		memset(table->stack + table->stacks, 0,
		       (stacks - table->stacks) * sizeof(*table->stack));
		table->stacks = stacks;
	}
	return &table->stack[stack];
}

void stack_figure_table_release(struct stack_figure_table *table)
{
	free(table->stack);
	*table = (struct stack_figure_table){ NULL, 0 };
}

static bool add(struct stack_figures *sum, const struct stack_figures *figures)
{
	bool has_any = false;

	for (size_t i = 0; i < STACK_FIGURES; i++) {
		sum->figure[i] += figures->figure[i];
		has_any |= figures->figure[i] != 0;
	}
	return has_any;
}

/* From stacks of the selection to those of the result. Owned by the caller. */
static struct stack_figures *unite(const struct stack_figure_table *table, const uint32_t *where,
				   size_t *results)
{
	struct stack_figures *result;

	*results = 0;
	for (size_t i = 0; i < table->stacks; i++)
		for (size_t j = 0; j < STACK_FIGURES; j++)
			if (table->stack[i].figure[j] && where[i] >= *results)
				*results = (size_t)where[i] + 1;
	result = xcalloc(*results + 1, sizeof(*result));
	for (size_t i = 0; i < table->stacks; i++) {
		struct stack_figures unused = { { 0 } };

		if (add(&unused, &table->stack[i]))
			add(&result[where[i]], &table->stack[i]);
	}
	return result;
}

static int compare(const void *left, const void *right, void *data)
{
	const struct stack_row *a = left, *b = right;
	const size_t by = *(const size_t *)data;

	if (a->sum.figure[by] != b->sum.figure[by])
		return a->sum.figure[by] > b->sum.figure[by] ? -1 : 1;
	if (a->stack->sum.calls != b->stack->sum.calls)
		return a->stack->sum.calls > b->stack->sum.calls ? -1 : 1;
	return a->stack->sum.node < b->stack->sum.node ? -1 : 1;
}

void stack_rows_build(struct stack_rows *rows, const struct stack_figure_table *table,
		      const uint32_t *where, const struct shown_stacks *stacks, size_t by)
{
	const size_t shown = shown_stacks_count(stacks);
	size_t results;
	struct stack_figures *result = unite(table, where, &results);

	*rows = (struct stack_rows){ .row = xcalloc(shown + 1, sizeof(*rows->row)),
				     .stacks = stacks };
	for (size_t i = 0; i < shown; i++) {
		struct stack_row *row = &rows->row[rows->count];
		bool has_any = false;

		*row = (struct stack_row){ .stack = shown_stacks_at(stacks, i) };
		for (uint32_t one = row->stack->first; one != SHOWN_STACKS_END;
		     one = shown_stacks_next(stacks, one))
			if (one < results)
				has_any |= add(&row->sum, &result[one]);
		add(&rows->all, &row->sum);
		rows->count += has_any;
	}
	qsort_r(rows->row, rows->count, sizeof(*rows->row), compare, &by);
	free(result);
}

void stack_rows_release(struct stack_rows *rows)
{
	free(rows->row);
	rows->row = NULL;
}
