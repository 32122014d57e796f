/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_view.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_stacks.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/stack_text.h"

void render_view_head(FILE *out, const struct summary *s, const struct render_style *style)
{
	text_put_clean(out, trace_path(s->trace));
	fprintf(out, ": %s, ", number_of(s->totals->allocation_calls, "allocation call").text);
	fprintf(out, "%s requested\n", number_bytes(s->totals->allocated_bytes).text);
	if (s->filtered) {
		char *text = render_filter_text(s->filtered, s->totals);

		fputs("filter: ", out);
		text_put_clean(out, text);
		putc('\n', out);
		free(text);
	}
	for (size_t i = 0; i < s->warnings.count; i++) {
		fprintf(out, "%swarning:%s ", style->has_color ? "\033[1;33m" : "",
			style->has_color ? "\033[0m" : "");
		text_put_clean(out, s->warnings.text[i]);
		putc('\n', out);
	}
}

json_t *render_view_json(const struct summary *s, const char *command)
{
	const bool has_times = !trace_has_dropped(s->trace, TRACE_STAMPS);
	json_t *value = json_object();

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text(command));
	json_value_set(value, "path", json_value_text(trace_path(s->trace)));
	json_value_set(value, "complete", json_boolean(s->is_complete));
	json_value_set(value, "warnings", json_value_texts(s->warnings.text, s->warnings.count));
	render_filter_json(value, s->filtered, s->totals);
	json_value_set(value, "totals", json_totals_build(s->totals, has_times));
	return value;
}

void render_view_put_json(FILE *out, json_t *value)
{
	char *text = json_value_dump(value, JSON_INDENT(2));

	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}

static size_t shown(const struct view_rows *view)
{
	return view->top && view->top < view->rows->count ? (size_t)view->top : view->rows->count;
}

/* The sums of the rows that are left out. */
static struct stack_figures find_rest(const struct view_rows *view)
{
	struct stack_figures rest = { { 0 } };

	for (size_t i = shown(view); i < view->rows->count; i++)
		for (size_t j = 0; j < STACK_FIGURES; j++)
			rest.figure[j] += view->rows->row[i].sum.figure[j];
	return rest;
}

void render_view_rows(FILE *out, const struct view_rows *view, const struct render_style *style)
{
	const struct stack_text text = { .out = out, .style = style };
	const struct stack_figures rest = find_rest(view);

	for (size_t i = 0; i < shown(view); i++) {
		const struct stack_row *row = &view->rows->row[i];

		fprintf(out, "  %zu. ", i + 1);
		view->put(out, &row->sum);
		putc('\n', out);
		stack_text_put(&text,
			       shown_stacks_walk(view->rows->stacks, row->stack, METRIC_CALLS));
	}
	if (shown(view) == view->rows->count)
		return;
	fprintf(out, "  others (%s): ", number_of(view->rows->count - shown(view), "stack").text);
	view->put(out, &rest);
	putc('\n', out);
}

static size_t find_figures(struct json_figure *figure, const struct stack_figures *sum,
			   const char *const keys[STACK_FIGURES])
{
	size_t figures = 0;

	for (size_t i = 0; i < STACK_FIGURES; i++)
		if (keys[i])
			figure[figures++] = (struct json_figure){ keys[i], sum->figure[i] };
	return figures;
}

void render_view_rows_json(FILE *out, json_t *value, const struct view_rows *view,
			   const char *const keys[STACK_FIGURES])
{
	const struct stack_figures rest = find_rest(view);
	struct json_figure figure[STACK_FIGURES];
	const size_t figures = find_figures(figure, &rest, keys);
	json_t *other = json_object();
	struct json_stacks json;
	char *text;

	for (size_t i = 0; i < figures; i++)
		json_value_set(other, figure[i].key, json_value_count(figure[i].value));
	json_value_set(value, "other", other);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%.*s,\n  \"stacks\": [\n", (int)(strlen(text) - strlen("\n}")), text);
	free(text);
	json_decref(value);
	json_stacks_init(&json, out, "    ");
	for (size_t i = 0; i < shown(view); i++) {
		const struct stack_row *row = &view->rows->row[i];

		find_figures(figure, &row->sum, keys);
		json_stacks_put(&json, figure, figures,
				shown_stacks_walk(view->rows->stacks, row->stack, METRIC_CALLS),
				i + 1 == shown(view));
	}
	json_stacks_release(&json);
	fputs("  ]\n}\n", out);
}

#define BAR 30

void render_view_classes(FILE *out, const struct view_class *classes, size_t count)
{
	size_t first = 0;
	uint64_t most = 1;

	while (count && !classes[count - 1].weight)
		count--;
	while (first < count && !classes[first].weight)
		first++;
	for (size_t i = first; i < count; i++)
		if (classes[i].weight > most)
			most = classes[i].weight;
	for (size_t i = first; i < count; i++) {
		const struct number least = number_count(number_class_least((unsigned)i));
		const struct number last = number_count(number_class_most((unsigned)i));
		char bar[BAR + 1];
		size_t length = (size_t)((unsigned __int128)classes[i].weight * BAR / most);

		if (!length && classes[i].weight)
			length = 1;
		memset(bar, '#', length);
		bar[length] = '\0';
		if (i < 2)
			fprintf(out, "  %31s", least.text);
		else
			fprintf(out, "  %13s to %14s", least.text, last.text);
		fprintf(out, "  %-*s  %s\n", BAR, bar, classes[i].text);
	}
}
