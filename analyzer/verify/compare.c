/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/compare.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/verify/check_list.h"

static const struct verify_figures nothing;

static void compare_totals(const struct verify_totals *said, const struct verify_totals *second,
			   struct verify_report *report)
{
#define COMPARE(name) check_equal(report, CHECK_TOTALS, #name, NULL, said->name, second->name);
	VERIFY_TOTALS(COMPARE)
#undef COMPARE
#define ONE(name) +1
	check_say(report, CHECK_TOTALS, "%d figures of the whole trace", 0 VERIFY_TOTALS(ONE));
#undef ONE
}

static void compare_stack(const struct verify_figures *said, const struct verify_figures *second,
			  const char *stack, struct verify_report *report)
{
#define COMPARE(name)                                                                         \
	if (said->name != second->name)                                                       \
		check_equal(report, CHECK_STACKS, #name, xstrdup(stack), said->name,          \
			    second->name);
	VERIFY_STACK(COMPARE)
#undef COMPARE
}

static bool is_equal(const struct verify_figures *a, const struct verify_figures *b)
{
#define EQUAL(name) &&a->name == b->name
	return true VERIFY_STACK(EQUAL);
#undef EQUAL
}

static void add_up(struct verify_figures *sum, const struct verify_figures *figures)
{
#define ADD(name) sum->name += figures->name;
	VERIFY_STACK(ADD)
#undef ADD
}

/* Of the report's own figures: what its stacks add up to is what it says of the whole. */
static void compare_sums(const struct verify_figures *sum, const struct verify_totals *totals,
			 const char *whose, struct verify_report *report)
{
	char *stack = xasprintf("the sum of all stacks, %s", whose);

#define COMPARE(name, total)                                                                  \
	check_equal(report, CHECK_SUMS, #total, xstrdup(stack), sum->name, totals->total);
	COMPARE(calls, allocation_calls)
	COMPARE(bytes, allocated_bytes)
	COMPARE(temporary, temporary_calls)
	COMPARE(leaked_bytes, leaked_bytes)
	COMPARE(leaked_blocks, leaked_calls)
	COMPARE(peak_bytes, peak_bytes)
	COMPARE(peak_blocks, peak_blocks)
#undef COMPARE
	check_equal(report, CHECK_SUMS, "allocation_calls", xasprintf("the sum of all functions, %s",
								      whose),
		    totals->calls_malloc + totals->calls_calloc + totals->calls_realloc +
			    totals->calls_aligned + totals->calls_new,
		    totals->allocation_calls);
	free(stack);
}

void compare_run(const struct verify_claim *claim, struct account *account,
		 struct verify_report *report)
{
	struct stack_sums *stacks = &account->stacks;
	struct verify_figures said = nothing, second = nothing;
	struct verify_stack stack;
	uint64_t claimed = 0;

	compare_totals(&claim->totals, &account->totals, report);
	while (claim->next(claim->owner, &stack)) {
		const uint32_t index = stack_sums_find(stacks, stack.frame, stack.depth);
		const struct verify_figures *figures = &nothing;

		claimed++;
		add_up(&said, &stack.figures);
		if (index != STACK_SUMS_NONE) {
			/* The report has a stack twice: then both are wrong. */
			if (!stacks->sum[index].is_claimed)
				figures = &stacks->sum[index].figures;
			stacks->sum[index].is_claimed = true;
		}
		if (!is_equal(&stack.figures, figures)) {
			char *name = claim->name(claim->owner, stack.frame, stack.depth);

			compare_stack(&stack.figures, figures, name, report);
			free(name);
		}
	}
	for (uint32_t i = 0; i < stacks->count; i++) {
		const struct stack_sum *sum = &stacks->sum[i];

		add_up(&second, &sum->figures);
		if (!sum->is_claimed) {
			char *leaf = claim->name(claim->owner, &sum->leaf, sum->depth ? 1 : 0);
			char *name = xasprintf("%s (%s), not in the report", leaf,
					       number_of(sum->depth, "frame").text);

			compare_stack(&nothing, &sum->figures, name, report);
			free(name);
			free(leaf);
		}
	}
	check_say(report, CHECK_STACKS, "%s in the report, %s by the second way",
		  number_of(claimed, "stack").text, number_count(stacks->count).text);
	check_say(report, CHECK_SUMS, "the stacks of each metric and the functions, of both ways");
	compare_sums(&said, &claim->totals, "report", report);
	compare_sums(&second, &account->totals, "second way", report);
}
