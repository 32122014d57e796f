/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/resident.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

const char *resident_why_text(const struct snapshot *snapshot)
{
	static const char *const text[] = { [XT_SNAPSHOT_HIGH] = "grown",
					    [XT_SNAPSHOT_INTERVAL] = "interval",
					    [XT_SNAPSHOT_END] = "end" };

	return text[snapshot->head.why];
}

const char *resident_how_text(const struct snapshot *snapshot)
{
	static const char *const text[] = { [XT_SNAPSHOT_SCAN] = "scan",
					    [XT_SNAPSHOT_PAGEMAP] = "pagemap",
					    [XT_SNAPSHOT_NONE] = "none",
					    [XT_SNAPSHOT_COSTLY] = "costly" };

	return text[snapshot->head.how];
}

static void add(struct residency_sum *to, const struct residency_sum *from)
{
	to->blocks += from->blocks;
	to->requested += from->requested;
	to->resident += from->resident;
	to->huge += from->huge;
	to->untouched += from->untouched;
	to->zero += from->zero;
	to->swapped += from->swapped;
	to->held += from->held;
}

static int compare(const struct resident_row *a, const struct resident_row *b, bool is_by_held)
{
	const uint64_t left[3] = { is_by_held ? a->sum.held : a->sum.resident, a->sum.requested,
				   a->sum.blocks };
	const uint64_t right[3] = { is_by_held ? b->sum.held : b->sum.resident, b->sum.requested,
				    b->sum.blocks };

	for (size_t i = 0; i < 3; i++)
		if (left[i] != right[i])
			return left[i] > right[i] ? -1 : 1;
	return a->stack < b->stack ? -1 : 1;
}

static int compare_rows(const void *left, const void *right, void *is_by_held)
{
	return compare(left, right, *(bool *)is_by_held);
}

void resident_build(struct resident *report, const struct residency *residency,
		    const struct shown_stacks *stacks, bool is_by_held)
{
	*report = (struct resident){ .residency = residency, .is_by_held = is_by_held };
	report->row = xreallocarray(NULL, shown_stacks_count(stacks) + 1, sizeof(*report->row));
	for (size_t i = 0; i < shown_stacks_count(stacks); i++) {
		struct resident_row row = { .stack = shown_stacks_at(stacks, i) };

		for (uint32_t k = row.stack->first; k != SHOWN_STACKS_END;
		     k = shown_stacks_next(stacks, k))
			add(&row.sum, &residency->stack[k]);
		if (row.sum.blocks)
			report->row[report->rows++] = row;
	}
	qsort_r(report->row, report->rows, sizeof(*report->row), compare_rows, &is_by_held);
}

void resident_release(struct resident *report)
{
	free(report->row);
	*report = (struct resident){ .rows = 0 };
}
