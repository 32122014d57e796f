/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/metric.h"

#include <stddef.h>
#include <string.h>

/* Offsets into both structs: one line a metric is all that there is to know of it. */
struct metric_row {
	const char *name, *unit, *one;
	size_t weight, total;
	size_t blocks, total_blocks; /* NO_BLOCKS: none */
};
#define NO_BLOCKS SIZE_MAX
#define STACK(member) offsetof(struct stack_totals, member)
#define TOTAL(member) offsetof(struct totals, member)

static const struct metric_row rows[METRIC_COUNT] = {
	[METRIC_PEAK] = { "peak", "bytes", "byte", STACK(peak_bytes), TOTAL(peak_bytes),
			  STACK(peak_blocks), TOTAL(peak_blocks) },
	[METRIC_CALLS] = { "calls", "calls", "call", STACK(calls), TOTAL(allocation_calls),
			   NO_BLOCKS, NO_BLOCKS },
	[METRIC_BYTES] = { "bytes", "bytes", "byte", STACK(bytes), TOTAL(allocated_bytes),
			   NO_BLOCKS, NO_BLOCKS },
	[METRIC_LEAKED] = { "leaked", "bytes", "byte", STACK(live_bytes), TOTAL(leaked_bytes),
			    STACK(live_blocks), TOTAL(leaked_calls) },
	[METRIC_TEMPORARY] = { "temporary", "calls", "call", STACK(temporary),
			       TOTAL(temporary_calls), NO_BLOCKS, NO_BLOCKS },
};

static uint64_t get(const void *base, size_t offset)
{
	uint64_t value = 0;

	if (offset != NO_BLOCKS)
		memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

const char *metric_name(enum metric metric)
{
	return rows[metric].name;
}

const char *metric_unit(enum metric metric)
{
	return rows[metric].unit;
}

const char *metric_unit_of(enum metric metric, uint64_t count)
{
	return count == 1 ? rows[metric].one : rows[metric].unit;
}

enum metric metric_find(const char *name)
{
	enum metric metric = METRIC_PEAK;

	while (metric < METRIC_COUNT && strcmp(rows[metric].name, name))
		metric++;
	return metric;
}

uint64_t metric_weight(const struct stack_totals *stack, enum metric metric)
{
	return get(stack, rows[metric].weight);
}

uint64_t metric_total(const struct totals *totals, enum metric metric)
{
	return get(totals, rows[metric].total);
}

uint64_t metric_blocks(const struct stack_totals *stack, enum metric metric)
{
	return get(stack, rows[metric].blocks);
}

uint64_t metric_total_blocks(const struct totals *totals, enum metric metric)
{
	return get(totals, rows[metric].total_blocks);
}
