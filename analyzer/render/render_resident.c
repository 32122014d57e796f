/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_resident.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_stacks.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/stack_text.h"

static size_t shown_rows(const struct resident *report, uint64_t top)
{
	return top && top < report->rows ? (size_t)top : report->rows;
}

static void put_sum(FILE *out, const struct residency_sum *sum, bool is_by_held)
{
	fprintf(out, "%s in ", number_bytes(sum->requested).text);
	fprintf(out, "%s: ", number_of(sum->blocks, "block").text);
	if (is_by_held) {
		fprintf(out, "keeps %s of free memory\n", number_bytes(sum->held).text);
		return;
	}
	fprintf(out, "%s resident, ", number_bytes(sum->resident).text);
	fprintf(out, "%s untouched", number_bytes(sum->untouched).text);
	if (sum->swapped)
		fprintf(out, ", %s swapped out", number_bytes(sum->swapped).text);
	if (sum->huge)
		fprintf(out, "; %s of it on huge pages", number_bytes(sum->huge).text);
	putc('\n', out);
}

static void put_snapshots(FILE *out, const struct residency *r)
{
	for (size_t i = 0; i < r->log->count; i++) {
		const struct snapshot *s = &r->log->snapshot[i];

		fprintf(out, "  %csnapshot %u (%s, %s): %s resident", s == r->snapshot ? '*' : ' ',
			s->head.number, resident_why_text(s), resident_how_text(s),
			number_bytes(s->head.resident_bytes).text);
		if (s->head.error)
			fprintf(out, "; no pages: %s", strerror((int)s->head.error));
		if (s->is_outside)
			fprintf(out, "; from outside, of %s during it",
				number_of(s->outside.events, "event").text);
		putc('\n', out);
	}
}

static void put_regions(FILE *out, const struct residency *r)
{
	fputs("\n        resident            live          pinned            free  "
	      "of it at the top\n",
	      out);
	for (int kind = 0; kind < RESIDENCY_KINDS; kind++) {
		const struct residency_region *region = &r->region[kind];

		if (!region->resident)
			continue;
		fprintf(out, "%16s", number_count(region->resident).text);
		fprintf(out, "%16s", number_count(region->live).text);
		fprintf(out, "%16s", number_count(region->pinned).text);
		fprintf(out, "%16s", number_count(region->free).text);
		fprintf(out, "%16s  %s\n", number_count(region->top).text,
			residency_kind_name((enum residency_kind)kind));
	}
}

void render_resident_text(FILE *out, const struct summary *s, const struct resident *report,
			  uint64_t top, const struct render_style *style)
{
	const struct stack_text text = { .out = out, .style = style };
	const size_t rows = shown_rows(report, top);

	text_put_clean(out, trace_path(s->trace));
	fputs(": live blocks at a snapshot\n", out);
	put_snapshots(out, report->residency);
	put_regions(out, report->residency);
	fputs("\nall: ", out);
	put_sum(out, &report->residency->all, report->is_by_held);
	for (size_t i = 0; i < rows; i++) {
		fprintf(out, "%3zu. ", i + 1);
		put_sum(out, &report->row[i].sum, report->is_by_held);
		stack_text_put(&text,
			       shown_stacks_walk(s->stacks, report->row[i].stack, METRIC_BYTES));
	}
	if (rows < report->rows)
		fprintf(out, "%s more (--top 0 shows all)\n",
			number_of(report->rows - rows, "stack").text);
	if (report->residency->snapshot->head.how == XT_SNAPSHOT_PAGEMAP)
		fputs("estimated: the kernel did not say which pages were only read, and which "
		      "are huge\n",
		      out);
	for (size_t i = 0; i < s->warnings.count; i++) {
		fputs("warning: ", out);
		text_put_clean(out, s->warnings.text[i]);
		putc('\n', out);
	}
}

static json_t *build_snapshot(const struct snapshot *s)
{
	json_t *value = json_object();

	json_value_set(value, "number", json_value_count(s->head.number));
	json_value_set(value, "why", json_value_text(resident_why_text(s)));
	json_value_set(value, "how", json_value_text(resident_how_text(s)));
	json_value_set(value, "error",
		       json_value_text(s->head.error ? strerror((int)s->head.error) : ""));
	json_value_set(value, "whole", json_boolean(s->is_whole));
	json_value_set(value, "resident_bytes", json_value_count(s->head.resident_bytes));
	json_value_set(value, "cost_ns", json_value_count(s->head.ns));
	if (s->is_outside) {
		json_value_set(value, "outside", json_true());
		json_value_set(value, "events_during", json_value_count(s->outside.events));
		json_value_set(value, "before_bytes", json_value_count(s->outside.before_bytes));
		json_value_set(value, "after_bytes", json_value_count(s->outside.after_bytes));
	}
	return value;
}

static json_t *build_sum(const struct residency_sum *sum)
{
	json_t *value = json_object();

	json_value_set(value, "blocks", json_value_count(sum->blocks));
	json_value_set(value, "requested_bytes", json_value_count(sum->requested));
	json_value_set(value, "resident_bytes", json_value_count(sum->resident));
	json_value_set(value, "huge_bytes", json_value_count(sum->huge));
	json_value_set(value, "untouched_bytes", json_value_count(sum->untouched));
	json_value_set(value, "zero_bytes", json_value_count(sum->zero));
	json_value_set(value, "swapped_bytes", json_value_count(sum->swapped));
	json_value_set(value, "held_bytes", json_value_count(sum->held));
	return value;
}

static json_t *build_region(const struct residency *r, int kind)
{
	const struct residency_region *region = &r->region[kind];
	json_t *value = json_object();

	json_value_set(value, "kind",
		       json_value_text(residency_kind_name((enum residency_kind)kind)));
	json_value_set(value, "mappings", json_value_count(region->mappings));
	json_value_set(value, "size", json_value_count(region->size));
	json_value_set(value, "resident_bytes", json_value_count(region->resident));
	json_value_set(value, "zero_bytes", json_value_count(region->zero));
	json_value_set(value, "swapped_bytes", json_value_count(region->swapped));
	json_value_set(value, "huge_bytes", json_value_count(region->huge));
	json_value_set(value, "live_bytes", json_value_count(region->live));
	json_value_set(value, "pinned_bytes", json_value_count(region->pinned));
	json_value_set(value, "free_bytes", json_value_count(region->free));
	json_value_set(value, "top_bytes", json_value_count(region->top));
	return value;
}

void render_resident_json(FILE *out, const struct summary *s, const struct resident *report,
			  uint64_t top)
{
	const struct residency *r = report->residency;
	const size_t rows = shown_rows(report, top);
	json_t *value = json_object(), *snapshots = json_array(), *regions = json_array();
	struct json_stacks json;
	char *text;

	for (size_t i = 0; i < r->log->count; i++)
		json_value_append(snapshots, build_snapshot(&r->log->snapshot[i]));
	for (int kind = 0; kind < RESIDENCY_KINDS; kind++)
		json_value_append(regions, build_region(r, kind));
	json_value_set(value, "schema", json_value_text("xalloc-resident/1"));
	json_value_set(value, "snapshots", snapshots);
	json_value_set(value, "snapshot", json_value_count(r->snapshot->head.number));
	json_value_set(value, "estimated",
		       json_boolean(r->snapshot->head.how == XT_SNAPSHOT_PAGEMAP));
	json_value_set(value, "regions", regions);
	json_value_set(value, "all", build_sum(&r->all));
	json_value_set(value, "warnings", json_value_texts(s->warnings.text, s->warnings.count));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%.*s,\n  \"stacks\": [\n", (int)(strlen(text) - strlen("\n}")), text);
	free(text);
	json_decref(value);
	json_stacks_init(&json, out, "    ");
	for (size_t i = 0; i < rows; i++) {
		const struct residency_sum *sum = &report->row[i].sum;
		const struct json_figure figure[] = {
			{ "blocks", sum->blocks },
			{ "requested_bytes", sum->requested },
			{ "resident_bytes", sum->resident },
			{ "huge_bytes", sum->huge },
			{ "untouched_bytes", sum->untouched },
			{ "zero_bytes", sum->zero },
			{ "swapped_bytes", sum->swapped },
			{ "held_bytes", sum->held },
			{ "merged", report->row[i].stack->merged },
		};

		json_stacks_put(&json, figure, sizeof(figure) / sizeof(*figure),
				shown_stacks_walk(s->stacks, report->row[i].stack, METRIC_BYTES),
				i + 1 == rows);
	}
	json_stacks_release(&json);
	fputs("  ]\n}\n", out);
}
