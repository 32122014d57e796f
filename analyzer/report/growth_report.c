/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/growth_report.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

const char *growth_verdict_text(enum growth_verdict verdict)
{
	static const char *const text[] = {
		[GROWTH_GROWS] = "grows",
		[GROWTH_LEVELLED_OFF] = "levelled off",
		[GROWTH_VARIES] = "varies",
		[GROWTH_STEADY] = "steady",
		[GROWTH_TOO_FEW] = "too few iterations",
	};

	return text[verdict];
}

static double mean(const uint64_t *live, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += (double)live[i];
	return sum / (to - from);
}

static enum growth_verdict judge(const uint64_t *live, uint32_t samples)
{
	double quarter[4];
	uint32_t same = 1;

	while (same < samples && live[same] == live[0])
		same++;
	if (same == samples)
		return GROWTH_STEADY;
	if (samples < GROWTH_LEAST)
		return GROWTH_TOO_FEW;
	for (uint32_t i = 0; i < 4; i++)
		quarter[i] = mean(live, samples * i / 4, samples * (i + 1) / 4);
	if (quarter[0] < quarter[1] && quarter[1] < quarter[2] && quarter[2] < quarter[3] &&
	    4 * (quarter[3] - quarter[2]) >= quarter[1] - quarter[0])
		return GROWTH_GROWS;
	/* The last quarter is flat, to a twentieth of what it rose by before. */
	if (quarter[0] < quarter[3] && live[samples - 1] >= live[samples * 3 / 4] &&
	    20 * (live[samples - 1] - live[samples * 3 / 4]) <= live[samples - 1] - live[0])
		return GROWTH_LEVELLED_OFF;
	return GROWTH_VARIES;
}

static void finish_row(struct growth_row *row, const struct growth *growth)
{
	const uint32_t last = growth->samples - 1, middle = growth->samples / 2;
	uint64_t iterations;

	row->verdict = judge(row->live, growth->samples);
	if (middle == last)
		return;
	iterations = growth->sample[last].iteration - growth->sample[middle].iteration;
	row->rate = ((double)row->live[last] - (double)row->live[middle]) / (double)iterations;
}

/* Growing ones first, the fastest first; then what is live at the end. */
static int compare_rows(const void *left, const void *right)
{
	const struct growth_row *a = left, *b = right;

	if (a->verdict != b->verdict)
		return a->verdict < b->verdict ? -1 : 1;
	if (a->rate != b->rate)
		return a->rate > b->rate ? -1 : 1;
	if (a->stack->sum.live_bytes != b->stack->sum.live_bytes)
		return a->stack->sum.live_bytes > b->stack->sum.live_bytes ? -1 : 1;
	return a->stack->sum.node < b->stack->sum.node ? -1 : 1;
}

void growth_report_build(struct growth_report *report, const struct growth *growth,
			 struct shown_stacks *stacks)
{
	const size_t count = shown_stacks_count(stacks);

	*report = (struct growth_report){ .growth = growth, .stacks = stacks };
	if (!growth->samples)
		return;
	for (uint32_t i = 0; i < growth->samples; i++)
		report->all.live[i] = growth->sample[i].all;
	finish_row(&report->all, growth);
	report->row = xcalloc(count + 1, sizeof(*report->row));
	for (size_t i = 0; i < count; i++) {
		struct growth_row *row = &report->row[report->rows];
		uint32_t one;

		*row = (struct growth_row){ .stack = shown_stacks_at(stacks, i) };
		for (one = row->stack->first; one != SHOWN_STACKS_END;
		     one = shown_stacks_next(stacks, one))
			for (uint32_t j = 0; j < growth->samples; j++)
				row->live[j] += growth->sample[j].live[one];
		finish_row(row, growth);
		report->count[row->verdict]++;
		report->rows += row->verdict == GROWTH_GROWS || row->verdict == GROWTH_LEVELLED_OFF;
	}
	qsort(report->row, report->rows, sizeof(*report->row), compare_rows);
}

void growth_report_release(struct growth_report *report)
{
	free(report->row);
	report->row = NULL;
}
