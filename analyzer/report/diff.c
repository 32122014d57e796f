/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/diff.h"

#include <stdlib.h>

#include "analyzer/base/err.h"
#include "analyzer/base/mem.h"
#include "analyzer/report/total_figures.h"

struct diff_figure diff_figure_of(uint64_t *before, size_t befores, uint64_t *after, size_t afters)
{
	struct diff_figure figure = { spread_of(before, befores), spread_of(after, afters), false };

	figure.is_changed =
		figure.before.most < figure.after.least || figure.after.most < figure.before.least;
	return figure;
}

int64_t diff_change(const struct diff_figure *figure)
{
	return (int64_t)(figure->after.median - figure->before.median);
}

static uint64_t size_of(int64_t change)
{
	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

static int compare_stacks(const void *left, const void *right)
{
	const struct diff_stack *a = left, *b = right;
	const uint64_t x = size_of(diff_change(&a->figure)), y = size_of(diff_change(&b->figure));

	if (x != y)
		return x > y ? -1 : 1;
	return a->row->node < b->row->node ? -1 : 1; /* the older one first */
}

static void add_row(struct diff *diff, struct diff_table *table, const struct runs_row *row,
		    uint64_t *value)
{
	const size_t afters = diff->runs->count - diff->befores;
	struct diff_figure figure;
	int64_t change;

	for (size_t i = 0; i < diff->runs->count; i++)
		value[i] = runs_value(row, i, table->metric);
	figure = diff_figure_of(value, diff->befores, value + diff->befores, afters);
	if (!figure.is_changed) {
		table->same++;
		return;
	}
	change = diff_change(&figure);
	table->stack[table->count++] = (struct diff_stack){ row, figure };
	*(change < 0 ? &table->shrunk : &table->grown) += size_of(change);
}

static void build_table(struct diff *diff, enum metric metric, uint64_t top, uint64_t *value)
{
	const struct runs *runs = diff->runs;
	struct diff_table *table = &diff->table[metric];

	table->metric = metric;
	table->stack = xcalloc(runs->rows + 1, sizeof(*table->stack));
	for (size_t i = 0; i < runs->rows; i++)
		add_row(diff, table, &runs->row[i], value);
	qsort(table->stack, table->count, sizeof(*table->stack), compare_stacks);
	table->shown = top && top < table->count ? (size_t)top : table->count;
	for (size_t i = table->shown; i < table->count; i++) {
		const int64_t change = diff_change(&table->stack[i].figure);

		*(change < 0 ? &table->rest_shrunk : &table->rest_grown) += size_of(change);
	}
	for (size_t i = 0; i < runs->count; i++)
		value[i] = metric_total(&runs->run[i].totals, metric);
	table->all = diff_figure_of(value, diff->befores, value + diff->befores,
				    runs->count - diff->befores);
	if (runs->count == 2 &&
	    table->all.before.median + table->grown != table->all.after.median + table->shrunk)
		BUG("the changes of %s do not add up", metric_name(metric));
}

static void build_totals(struct diff *diff, uint64_t *value)
{
	const struct runs *runs = diff->runs;

	diff->totals = total_figures;
	diff->total = xcalloc(total_figures, sizeof(*diff->total));
	for (size_t i = 0; i < total_figures; i++) {
		for (size_t j = 0; j < runs->count; j++)
			value[j] = total_figure_of(&total_figure[i], &runs->run[j].totals);
		diff->total[i] = (struct diff_total){ total_figure[i].name,
						      diff_figure_of(value, diff->befores,
								     value + diff->befores,
								     runs->count - diff->befores) };
	}
}

static void build_groups(struct diff *diff, uint64_t *value)
{
	const struct runs *runs = diff->runs;

	diff->groups = runs->groups;
	diff->group = xcalloc(runs->groups + 1, sizeof(*diff->group));
	for (size_t i = 0; i < runs->groups; i++) {
		diff->group[i].name = runs->group[i].name;
		for (int m = 0; m < METRIC_COUNT; m++) {
			for (size_t j = 0; j < runs->count; j++)
				value[j] = runs_group_value(&runs->group[i], j, (enum metric)m);
			diff->group[i].figure[m] =
				diff_figure_of(value, diff->befores, value + diff->befores,
					       runs->count - diff->befores);
		}
	}
}

void diff_build(struct diff *diff, const struct runs *runs, size_t befores, uint64_t top)
{
	uint64_t *value = xcalloc(runs->count, sizeof(*value));

	*diff = (struct diff){ .runs = runs, .befores = befores };
	build_totals(diff, value);
	build_groups(diff, value);
	for (int i = 0; i < METRIC_COUNT; i++)
		build_table(diff, (enum metric)i, top, value);
	free(value);
}

void diff_release(struct diff *diff)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		free(diff->table[i].stack);
	free(diff->total);
	free(diff->group);
	*diff = (struct diff){ .befores = 0 };
}
