/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_slope.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"

static void put_row(FILE *out, const struct slope *slope, const struct slope_row *row)
{
	fprintf(out, "%14s%16s  ", number_real(row->slope).text, number_real(row->start).text);
	if (slope->runs == 2)
		fprintf(out, "%s\n", row->name);
	else if (row->is_exact)
		fprintf(out, "%-17s  exactly linear\n", row->name);
	else
		fprintf(out, "%-17s  linear to within %s\n", row->name,
			number_real(row->residual).text);
}

void render_slope_text(FILE *out, const struct slope *slope)
{
	for (size_t i = 0; i < slope->runs; i++) {
		fprintf(out, "work %s: ", number_count(slope->run[i].work).text);
		text_put_clean(out, slope->run[i].path);
		fprintf(out, ", %s\n",
			number_of(slope->run[i].totals.allocation_calls, "allocation call").text);
		render_filter_line(out, slope->run[i].is_filtered ? &slope->run[i].filtered : NULL,
				   &slope->run[i].totals);
	}
	fprintf(out, "\n%14s%16s  figure\n", "each unit", "with no work");
	for (size_t i = 0; i < slope->rows; i++)
		put_row(out, slope, &slope->row[i]);
	if (slope->runs == 2)
		fputs("\nTwo runs always lie on a line: a third one says whether it is one.\n",
		      out);
}

void render_slope_json(FILE *out, const struct slope *slope)
{
	json_t *value = json_object(), *runs = json_array(), *rows = json_array();
	char *text;

	for (size_t i = 0; i < slope->runs; i++) {
		json_t *run = json_object();

		json_value_set(run, "path", json_value_text(slope->run[i].path));
		json_value_set(run, "work", json_value_count(slope->run[i].work));
		render_filter_json(run, slope->run[i].is_filtered ? &slope->run[i].filtered : NULL,
				   &slope->run[i].totals);
		json_value_append(runs, run);
	}
	for (size_t i = 0; i < slope->rows; i++) {
		const struct slope_row *row = &slope->row[i];
		json_t *one = json_object(), *values = json_array();

		for (size_t j = 0; j < slope->runs; j++)
			json_value_append(values, json_value_count(row->value[j]));
		json_value_set(one, "name", json_value_text(row->name));
		json_value_set(one, "values", values);
		json_value_set(one, "slope", json_real(row->slope));
		json_value_set(one, "start", json_real(row->start));
		json_value_set(one, "is_exact", json_boolean(row->is_exact));
		json_value_set(one, "residual", json_real(row->residual));
		json_value_append(rows, one);
	}
	json_value_set(value, "schema", json_value_text("xalloc-slope/1"));
	json_value_set(value, "runs", runs);
	json_value_set(value, "figures", rows);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
