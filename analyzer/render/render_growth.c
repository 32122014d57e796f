/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_growth.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_stacks.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/stack_text.h"

static size_t shown_rows(const struct growth_report *report, uint64_t top)
{
	return top && top < report->rows ? (size_t)top : report->rows;
}

static void put_row(FILE *out, const struct growth_report *report, const struct growth_row *row)
{
	const uint32_t last = report->growth->samples - 1;

	fprintf(out, "%s: ", growth_verdict_text(row->verdict));
	if (row->verdict == GROWTH_GROWS)
		fprintf(out, "%s bytes an iteration, ", number_real(row->rate).text);
	fprintf(out, "from %s to ", number_count(row->live[0]).text);
	fprintf(out, "%s live\n", number_bytes(row->live[last]).text);
}

static void put_rest(FILE *out, const struct growth_report *report, size_t shown)
{
	if (shown < report->rows)
		fprintf(out, "\n%s more that grow or have levelled off (--top 0 shows all)\n",
			number_of(report->rows - shown, "stack").text);
	if (!report->rows)
		fputs("\nno stack grows or has grown\n", out);
	fprintf(out, "\n%s: ", number_of(shown_stacks_count(report->stacks), "stack").text);
	for (int i = 0; i < GROWTH_VERDICTS; i++)
		fprintf(out, "%s%s %s", i ? ", " : "", number_count(report->count[i]).text,
			growth_verdict_text((enum growth_verdict)i));
	putc('\n', out);
}

static void put_warnings(FILE *out, const struct summary *s)
{
	for (size_t i = 0; i < s->warnings.count; i++) {
		fputs(i ? "warning: " : "\nwarning: ", out);
		text_put_clean(out, s->warnings.text[i]);
		putc('\n', out);
	}
}

void render_growth_text(FILE *out, const struct summary *s, const struct growth_report *report,
			uint64_t top, const struct render_style *style)
{
	const struct stack_text text = { .out = out, .style = style };
	const struct growth *growth = report->growth;
	const size_t rows = shown_rows(report, top);

	text_put_clean(out, trace_path(s->trace));
	fprintf(out, ": %s", number_of(growth->iterations, "iteration").text);
	if (!growth->samples) {
		fputs(": the program marks none (xalloc_iteration of xalloc.h)\n", out);
		render_filter_line(out, s->filtered, s->totals);
		put_warnings(out, s);
		return;
	}
	if (growth->stride > 1)
		fprintf(out, ", one in %s is looked at", number_count(growth->stride).text);
	putc('\n', out);
	render_filter_line(out, s->filtered, s->totals);
	fputs(s->filtered ? "all its live bytes: " : "all live bytes: ", out);
	put_row(out, report, &report->all);
	for (size_t i = 0; i < rows; i++) {
		fprintf(out, "\n%3zu. ", i + 1);
		put_row(out, report, &report->row[i]);
		stack_text_put(&text, shown_stacks_walk(report->stacks, report->row[i].stack,
							METRIC_LEAKED));
	}
	put_rest(out, report, rows);
	put_warnings(out, s);
}

static json_t *build_row(const struct growth_report *report, const struct growth_row *row)
{
	json_t *value = json_object(), *live = json_array();

	for (uint32_t i = 0; i < report->growth->samples; i++)
		json_value_append(live, json_value_count(row->live[i]));
	json_value_set(value, "verdict", json_value_text(growth_verdict_text(row->verdict)));
	json_value_set(value, "bytes_per_iteration", json_real(row->rate));
	json_value_set(value, "live_bytes", live);
	return value;
}

static void put_json_row(struct json_stacks *json, const struct growth_report *report,
			 const struct growth_row *row, bool is_last)
{
	json_t *value = build_row(report, row);
	char *text = json_value_dump(value, 0), *members;

	text[strlen(text) - 1] = '\0'; /* the bracket; the other one is the first */
	members = xasprintf("%s, ", text + 1);
	json->members = members;
	json_stacks_put(json, NULL, 0, shown_stacks_walk(report->stacks, row->stack, METRIC_LEAKED),
			is_last);
	json->members = NULL;
	free(members);
	free(text);
	json_decref(value);
}

void render_growth_json(FILE *out, const struct summary *s, const struct growth_report *report,
			uint64_t top)
{
	const struct growth *growth = report->growth;
	const size_t rows = shown_rows(report, top);
	json_t *value = json_object(), *at = json_array(), *counts = json_object();
	struct json_stacks json;
	char *text;

	for (uint32_t i = 0; i < growth->samples; i++)
		json_value_append(at, json_value_count(growth->sample[i].iteration));
	for (int i = 0; i < GROWTH_VERDICTS; i++)
		json_value_set(counts, growth_verdict_text((enum growth_verdict)i),
			       json_value_count(report->count[i]));
	json_value_set(value, "schema", json_value_text("xalloc-growth/1"));
	json_value_set(value, "iterations", json_value_count(growth->iterations));
	json_value_set(value, "sampled_iterations", at);
	json_value_set(value, "counts", counts);
	render_filter_json(value, s->filtered, s->totals);
	if (growth->samples)
		json_value_set(value, "all", build_row(report, &report->all));
	json_value_set(value, "warnings", json_value_texts(s->warnings.text, s->warnings.count));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%.*s,\n  \"stacks\": [\n", (int)(strlen(text) - strlen("\n}")), text);
	free(text);
	json_decref(value);
	json_stacks_init(&json, out, "    ");
	for (size_t i = 0; i < rows; i++)
		put_json_row(&json, report, &report->row[i], i + 1 == rows);
	json_stacks_release(&json);
	fputs("  ]\n}\n", out);
}
