/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/spread.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

static int compare_values(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

struct spread spread_of(uint64_t *value, size_t count)
{
	qsort(value, count, sizeof(*value), compare_values);
	return (struct spread){ value[0], value[(count - 1) / 2], value[count - 1] };
}

static int compare_stacks(const void *left, const void *right)
{
	const struct spread_stack *a = left, *b = right;
	const uint64_t x = a->spread.most - a->spread.least, y = b->spread.most - b->spread.least;

	if (x != y)
		return x > y ? -1 : 1;
	return a->row->node < b->row->node ? -1 : 1; /* the older one first */
}

void spread_table_build(struct spread_table *table, const struct runs *runs, enum metric metric,
			uint64_t top)
{
	uint64_t *value = xcalloc(runs->count, sizeof(*value));

	*table = (struct spread_table){ .metric = metric };
	table->stack = xcalloc(runs->rows + 1, sizeof(*table->stack));
	for (size_t i = 0; i < runs->rows; i++) {
		struct spread spread;

		for (size_t j = 0; j < runs->count; j++)
			value[j] = runs_value(&runs->row[i], j, metric);
		spread = spread_of(value, runs->count);
		if (spread.least != spread.most) {
			table->stack[table->count++] =
				(struct spread_stack){ &runs->row[i], spread };
		} else if (spread.most) {
			table->exact++;
			table->exact_weight += spread.most;
		}
	}
	qsort(table->stack, table->count, sizeof(*table->stack), compare_stacks);
	table->shown = top && top < table->count ? (size_t)top : table->count;
	for (size_t i = 0; i < runs->count; i++)
		value[i] = metric_total(&runs->run[i].totals, metric);
	table->all = spread_of(value, runs->count);
	free(value);
}

void spread_table_release(struct spread_table *table)
{
	free(table->stack);
	table->stack = NULL;
}
