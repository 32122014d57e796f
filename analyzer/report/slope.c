/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/slope.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/total_figures.h"

static int compare_work(const void *left, const void *right)
{
	const struct slope_run *a = left, *b = right;

	return a->work < b->work ? -1 : a->work > b->work;
}

/* Do all values lie on the line from the first to the last? In whole numbers; the slope is
 * *slope_of then. */
static bool is_exact(const struct slope_row *row, const struct slope *slope, double *slope_of)
{
	const size_t last = slope->runs - 1;
	const __int128 work = (__int128)slope->run[last].work - slope->run[0].work;
	const __int128 rise = (__int128)row->value[last] - row->value[0];

	for (size_t i = 1; i < last; i++)
		if (((__int128)row->value[i] - row->value[0]) * work !=
		    ((__int128)slope->run[i].work - slope->run[0].work) * rise)
			return false;
	*slope_of = (double)(rise / work);
	return rise % work == 0;
}

/* Least squares about the means, so that large counts lose no digits. */
static void fit(struct slope_row *row, const struct slope *slope)
{
	double x_mean = 0, y_mean = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < slope->runs; i++) {
		x_mean += (double)slope->run[i].work / (double)slope->runs;
		y_mean += (double)row->value[i] / (double)slope->runs;
	}
	for (size_t i = 0; i < slope->runs; i++) {
		const double x = (double)slope->run[i].work - x_mean;

		xx += x * x;
		xy += x * ((double)row->value[i] - y_mean);
	}
	row->is_exact = is_exact(row, slope, &row->slope);
	if (row->is_exact) {
		row->start = (double)row->value[0] - row->slope * (double)slope->run[0].work;
		return;
	}
	row->slope = xy / xx;
	row->start = y_mean - row->slope * x_mean;
	for (size_t i = 0; i < slope->runs; i++) {
		const double at = row->start + row->slope * (double)slope->run[i].work;
		const double off = (double)row->value[i] - at;

		if (row->residual < (off < 0 ? -off : off))
			row->residual = off < 0 ? -off : off;
	}
}

void slope_build(struct slope *slope, const struct slope_run *run, size_t runs)
{
	*slope = (struct slope){ .runs = runs, .rows = total_figures };
	for (size_t i = 0; i < runs; i++)
		slope->run[i] = run[i];
	qsort(slope->run, runs, sizeof(*slope->run), compare_work);
	slope->row = xcalloc(total_figures, sizeof(*slope->row));
	for (size_t i = 0; i < total_figures; i++) {
		slope->row[i].name = total_figure[i].name;
		for (size_t j = 0; j < runs; j++)
			slope->row[i].value[j] =
				total_figure_of(&total_figure[i], &slope->run[j].totals);
		fit(&slope->row[i], slope);
	}
}

void slope_release(struct slope *slope)
{
	free(slope->row);
	slope->row = NULL;
}
