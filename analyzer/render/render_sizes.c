/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_view.h"
#include "analyzer/render/render_views.h"

static size_t shown(const struct sizes *sizes, uint64_t top)
{
	return top && top < sizes->count ? (size_t)top : sizes->count;
}

static char *sum_text(const struct stack_totals *sum)
{
	const struct number calls = number_of(sum->calls, "call");
	const struct number bytes = number_bytes(sum->bytes);
	const struct number peak = number_count(sum->peak_bytes);

	return xasprintf("%s, %s; at the peak %s bytes in %s", calls.text, bytes.text, peak.text,
			 number_of(sum->peak_blocks, "block").text);
}

static void put_classes(FILE *out, const struct sizes *sizes)
{
	struct view_class rows[SIZE_CLASSES];

	for (size_t i = 0; i < SIZE_CLASSES; i++)
		rows[i] = (struct view_class){ sizes->by_class[i].sum.calls +
						       sizes->by_class[i].sum.peak_blocks,
					       sum_text(&sizes->by_class[i].sum) };
	render_view_classes(out, rows, SIZE_CLASSES);
	for (size_t i = 0; i < SIZE_CLASSES; i++)
		free(rows[i].text);
}

static void put_sizes(FILE *out, const struct sizes *sizes, size_t count)
{
	struct stack_totals rest = { .calls = 0 };

	fprintf(out, "\nExact sizes, the most calls first; %s\n",
		number_of(sizes->count, "size").text);
	for (size_t i = 0; i < sizes->count; i++) {
		char *text;

		if (i >= count) {
			stack_totals_add(&rest, &sizes->size[i].sum);
			continue;
		}
		text = sum_text(&sizes->size[i].sum);
		fprintf(out, "  %14s  %s\n", number_count(sizes->size[i].size).text, text);
		free(text);
	}
	if (count < sizes->count) {
		char *text = sum_text(&rest);

		fprintf(out, "  %14s  %s\n", "others", text);
		free(text);
	}
}

static void put_row(FILE *out, const struct stack_figures *sum)
{
	fprintf(out, "%s at the peak, ", number_bytes(sum->figure[SIZES_SLACK_PEAK]).text);
	fprintf(out, "%s of all calls", number_bytes(sum->figure[SIZES_SLACK_CALLS]).text);
}

void render_sizes_text(FILE *out, const struct summary *s, const struct sizes *sizes,
		       const struct stack_rows *rows, uint64_t top,
		       const struct render_style *style)
{
	const struct view_rows view = { rows, top, put_row };

	render_view_head(out, s, style);
	fputs("\nAllocation calls by the bytes requested:\n", out);
	put_classes(out, sizes);
	put_sizes(out, sizes, shown(sizes, top));
	if (!sizes->has_slack) {
		fputs("\nSlack, usable bytes beyond those requested, is not known of this "
		      "allocator.\n",
		      out);
		return;
	}
	fputs("\nSlack, usable bytes beyond those requested: ", out);
	put_row(out, &rows->all);
	fprintf(out, "; %s\n", number_of(rows->count, "stack").text);
	render_view_rows(out, &view, style);
}

static json_t *build_sum(const struct stack_totals *sum)
{
	json_t *value = json_object();

	json_value_set(value, "calls", json_value_count(sum->calls));
	json_value_set(value, "bytes", json_value_count(sum->bytes));
	json_value_set(value, "peak_bytes", json_value_count(sum->peak_bytes));
	json_value_set(value, "peak_blocks", json_value_count(sum->peak_blocks));
	return value;
}

static json_t *build_classes(const struct sizes *sizes)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct stack_totals *sum = &sizes->by_class[i].sum;
		json_t *value;

		if (!sum->calls && !sum->peak_blocks)
			continue;
		value = build_sum(sum);
		json_value_set(value, "least", json_value_count(number_class_least(i)));
		json_value_set(value, "most", json_value_count(number_class_most(i)));
		json_value_append(list, value);
	}
	return list;
}

void render_sizes_json(FILE *out, const struct summary *s, const struct sizes *sizes,
		       const struct stack_rows *rows, uint64_t top)
{
	static const char *const keys[STACK_FIGURES] = {
		[SIZES_SLACK_PEAK] = "slack_at_peak",
		[SIZES_SLACK_CALLS] = "slack_of_calls",
	};
	const struct view_rows view = { rows, top, put_row };
	json_t *value = render_view_json(s, "sizes"), *list = json_array();

	for (size_t i = 0; i < shown(sizes, top); i++) {
		json_t *size = build_sum(&sizes->size[i].sum);

		json_value_set(size, "size", json_value_count(sizes->size[i].size));
		json_value_append(list, size);
	}
	json_value_set(value, "classes", build_classes(sizes));
	json_value_set(value, "size_count", json_value_count(sizes->count));
	json_value_set(value, "sizes", list);
	json_value_set(value, "has_slack", json_boolean(sizes->has_slack));
	json_value_set(value, "slack_at_peak",
		       json_value_count(rows->all.figure[SIZES_SLACK_PEAK]));
	json_value_set(value, "slack_of_calls",
		       json_value_count(rows->all.figure[SIZES_SLACK_CALLS]));
	render_view_rows_json(out, value, &view, keys);
}
