/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/folded.h"

#include <stdlib.h>

void folded_build(struct folded *folded, const struct shown_stacks *stacks,
		  const struct totals *totals, enum metric metric, uint64_t top)
{
	struct shown_list *list = &folded->list;

	folded->stacks = stacks;
	folded->metric = metric;
	folded->totals = totals;
	folded->filtered = NULL;
	folded->total = metric_total(totals, metric);
	*list = shown_stacks_list(stacks, metric, top);
	/* The list is by weight: stacks with blocks of 0 bytes only are at its end. */
	while (list->count && !metric_weight(&list->stack[list->count - 1]->sum, metric))
		list->count--;
	while (list->all && !metric_weight(&list->stack[list->all - 1]->sum, metric))
		list->all--;
}

void folded_release(struct folded *folded)
{
	free(folded->list.stack);
	folded->list.stack = NULL;
}
