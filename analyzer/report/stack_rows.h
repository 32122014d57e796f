/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that a view counts for each stack, and their sums for the stacks as they are shown. */
#ifndef XALLOC_REPORT_STACK_ROWS_H
#define XALLOC_REPORT_STACK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/report/shown_stacks.h"

#define STACK_FIGURES 8u

struct stack_figures {
	uint64_t figure[STACK_FIGURES]; /* the view's; all are sums */
};

/* By stack of a selection. All zeros is an empty one. */
struct stack_figure_table {
	struct stack_figures *stack;
	size_t stacks;
};

/* That of a stack, made when it is new; valid until the next one. */
struct stack_figures *stack_figure_table_at(struct stack_figure_table *table, uint32_t stack);
void stack_figure_table_release(struct stack_figure_table *table);

struct stack_row {
	const struct shown_stack *stack;
	struct stack_figures sum;
};

struct stack_rows {
	struct stack_row *row;
	size_t count;
	struct stack_figures all;
	const struct shown_stacks *stacks; /* not its own */
};

/* The stacks that have any of the figures, that with most of figure `by` first. where: of
 * selection_finish. */
void stack_rows_build(struct stack_rows *rows, const struct stack_figure_table *table,
		      const uint32_t *where, const struct shown_stacks *stacks, size_t by);
void stack_rows_release(struct stack_rows *rows);

#endif
