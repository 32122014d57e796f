/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_timeline.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_view.h"

#define COLUMNS 64u
#define ROWS 12u
#define LABEL 12

struct column {
	uint64_t least, most;
	bool has_peak;
};

/* Several buckets are one column, or one is several. */
static void find_columns(const struct timeline *t, struct column *column)
{
	const size_t peak = timeline_peak_bucket(t);

	for (size_t i = 0; i < COLUMNS; i++) {
		const size_t from = i * t->buckets / COLUMNS;
		size_t to = (i + 1) * t->buckets / COLUMNS;

		if (to <= from)
			to = from + 1;
		column[i] = (struct column){ UINT64_MAX, 0, from <= peak && peak < to };
		for (size_t j = from; j < to; j++) {
			const struct timeline_bucket *bucket = &t->bucket[j];

			if (bucket->least.bytes < column[i].least)
				column[i].least = bucket->least.bytes;
			if (bucket->most.bytes > column[i].most)
				column[i].most = bucket->most.bytes;
		}
	}
}

/* How many rows so many bytes are, of ROWS: what is not 0 is at least one. */
static unsigned height(uint64_t bytes, uint64_t peak)
{
	return peak ? (unsigned)(((unsigned __int128)bytes * ROWS + peak - 1) / peak) : 0;
}

static void put_time(FILE *out, const struct timeline *t, uint64_t time)
{
	if (t->has_times)
		fputs(number_time(time).text, out);
	else
		fputs(number_of(time, "step").text, out);
}

static void put_row(FILE *out, const struct timeline *t, const struct column *column, unsigned row)
{
	size_t end = COLUMNS;
	char line[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		line[i] = height(column[i].least, t->peak.bytes) >= row  ? '#'
			  : height(column[i].most, t->peak.bytes) >= row ? ':'
									 : ' ';
	while (end && line[end - 1] == ' ')
		end--;
	if (row == ROWS || row == ROWS / 2)
		fprintf(out, "%*s |", LABEL,
			number_count((uint64_t)((unsigned __int128)t->peak.bytes * row / ROWS))
				.text);
	else
		fprintf(out, "%*s |", LABEL, "");
	fprintf(out, "%.*s\n", (int)end, line);
}

static void put_axis(FILE *out, const struct column *column)
{
	size_t peak = 0;

	while (peak + 1 < COLUMNS && !column[peak].has_peak)
		peak++;
	fprintf(out, "%*s +", LABEL, "0");
	for (size_t i = 0; i < COLUMNS; i++)
		putc('-', out);
	fprintf(out, "\n%*s  %*s^ the highest\n", LABEL, "", (int)peak, "");
}

void render_timeline_text(FILE *out, const struct summary *s, const struct timeline *t,
			  const struct render_style *style)
{
	struct column column[COLUMNS];

	render_view_head(out, s, style);
	if (!t->peak.bytes) {
		fputs("\nnothing was live\n", out);
		return;
	}
	fprintf(out, "\nhighest     %s in %s", number_bytes(t->peak.bytes).text,
		number_of(t->peak.blocks, "block").text);
	fprintf(out, "%s", t->has_times ? " at " : " after ");
	put_time(out, t, timeline_time_of(t, t->peak_time));
	fputs("\nfrom        ", out);
	put_time(out, t, timeline_begin_of(t, 0));
	fputs(" to ", out);
	put_time(out, t, timeline_begin_of(t, t->buckets));
	fprintf(out, ", in %s", number_of(t->buckets, "span").text);
	fputs("; # is the least that was live in a span, : the most\n\n", out);
	find_columns(t, column);
	for (unsigned row = ROWS; row; row--)
		put_row(out, t, column, row);
	put_axis(out, column);
}

static json_t *build_points(const struct timeline *t)
{
	json_t *points = json_array();

	for (size_t i = 0; i < t->buckets; i++) {
		const struct timeline_bucket *bucket = &t->bucket[i];
		json_t *value = json_object();

		json_value_set(value, "from", json_value_count(timeline_begin_of(t, i)));
		json_value_set(value, "events", json_value_count(bucket->steps));
		json_value_set(value, "least_bytes", json_value_count(bucket->least.bytes));
		json_value_set(value, "most_bytes", json_value_count(bucket->most.bytes));
		json_value_set(value, "most_blocks", json_value_count(bucket->most.blocks));
		json_value_set(value, "last_bytes", json_value_count(bucket->last.bytes));
		json_value_set(value, "last_blocks", json_value_count(bucket->last.blocks));
		json_value_append(points, value);
	}
	return points;
}

void render_timeline_json(FILE *out, const struct summary *s, const struct timeline *t)
{
	json_t *value = render_view_json(s, "timeline"), *peak = json_object();

	json_value_set(peak, "bytes", json_value_count(t->peak.bytes));
	json_value_set(peak, "blocks", json_value_count(t->peak.blocks));
	json_value_set(peak, "at", json_value_count(timeline_time_of(t, t->peak_time)));
	json_value_set(peak, "point", json_value_count(timeline_peak_bucket(t)));
	json_value_set(value, "unit", json_value_text(t->has_times ? "ns" : "events"));
	json_value_set(value, "end", json_value_count(timeline_begin_of(t, t->buckets)));
	json_value_set(value, "highest", peak);
	json_value_set(value, "points", build_points(t));
	render_view_put_json(out, value);
}
