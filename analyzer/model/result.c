/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/result.h"

#include <string.h>

const struct phase *told_find_phase(const struct told *told, const char *name)
{
	for (size_t i = 0; i < told->phases; i++)
		if (!strcmp(told->phase[i].name, name))
			return &told->phase[i];
	return NULL;
}

void totals_add_growth(struct totals *sum, const struct totals *from, const struct totals *to)
{
	sum->allocation_calls += to->allocation_calls - from->allocation_calls;
	sum->allocated_bytes += to->allocated_bytes - from->allocated_bytes;
	sum->free_calls += to->free_calls - from->free_calls;
	sum->foreign_frees += to->foreign_frees - from->foreign_frees;
	sum->failed_calls += to->failed_calls - from->failed_calls;
	sum->freed_blocks += to->freed_blocks - from->freed_blocks;
	sum->realloc_frees += to->realloc_frees - from->realloc_frees;
	sum->temporary_calls += to->temporary_calls - from->temporary_calls;
	sum->events += to->events - from->events;
	sum->unseen_frees += to->unseen_frees - from->unseen_frees;
	sum->untracked_calls += to->untracked_calls - from->untracked_calls;
	sum->untracked_frees += to->untracked_frees - from->untracked_frees;
}

struct totals totals_of_sum(const struct stack_totals *sum)
{
	return (struct totals){ .allocation_calls = sum->calls,
				.allocated_bytes = sum->bytes,
				.temporary_calls = sum->temporary,
				.leaked_calls = sum->live_blocks,
				.leaked_bytes = sum->live_bytes,
				.peak_bytes = sum->peak_bytes,
				.peak_blocks = sum->peak_blocks };
}

void stack_totals_add(struct stack_totals *sum, const struct stack_totals *stack)
{
	sum->calls += stack->calls;
	sum->bytes += stack->bytes;
	sum->temporary += stack->temporary;
	sum->live_bytes += stack->live_bytes;
	sum->live_blocks += stack->live_blocks;
	sum->peak_bytes += stack->peak_bytes;
	sum->peak_blocks += stack->peak_blocks;
}
