/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"
#include "analyzer/report/metric.h"

const char *render_filter_instant(const struct filtered *filtered)
{
	if (!filtered)
		return "the peak";
	if (filtered->rule.has_at)
		return "the time asked for";
	if (filtered->rule.has_from || filtered->rule.has_to)
		return "the peak of the range";
	return "the peak";
}

static void put_sizes(FILE *out, const struct selection_rule *rule)
{
	if (rule->least == rule->most)
		fprintf(out, ", blocks of %s bytes", number_count(rule->least).text);
	else if (rule->most == UINT64_MAX)
		fprintf(out, ", blocks of %s bytes or more", number_count(rule->least).text);
	else
		fprintf(out, ", blocks of %s to %s bytes", number_count(rule->least).text,
			number_count(rule->most).text);
}

static void put_rule(FILE *out, const struct filtered *f)
{
	const struct selection_rule *rule = &f->rule;

	if (rule->has_thread && rule->thread_name)
		fprintf(out, ", threads called \"%s\"", rule->thread_name);
	else if (rule->has_thread)
		fprintf(out, ", thread %u", rule->thread);
	if (rule->has_from)
		fprintf(out, ", from %s", number_time(rule->from).text);
	if (rule->has_to)
		fprintf(out, ", to %s", number_time(rule->to).text);
	if (rule->has_at)
		fprintf(out, ", live at %s in place of the peak", number_time(rule->at).text);
	if (rule->has_size)
		put_sizes(out, rule);
	if (f->function)
		fprintf(out, ", function %s", f->function);
	if (f->module)
		fprintf(out, ", module %s", f->module);
	if (f->group)
		fprintf(out, ", group \"%s\" of %s", f->group, f->rules);
}

static void put_share(FILE *out, const char *what, uint64_t part, uint64_t whole)
{
	fprintf(out, "%s of %s %s (%s)", number_count(part).text, number_count(whole).text, what,
		number_percent(part, whole).text);
}

char *render_filter_text(const struct filtered *f, const struct totals *totals)
{
	char *text = NULL, *shown;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		out_of_memory(0);
	put_rule(out, f);
	fputs(": ", out);
	put_share(out, "allocation calls", totals->allocation_calls, f->whole.allocation_calls);
	fputs(", ", out);
	put_share(out, "bytes requested", totals->allocated_bytes, f->whole.allocated_bytes);
	fputs("; ", out);
	put_share(out, "peak bytes", totals->peak_bytes, f->whole.peak_bytes);
	if (fclose(out))
		out_of_memory(bytes);
	shown = xstrdup(text + 2);
	free(text);
	return shown;
}

static json_t *text_or_null(const char *text)
{
	return text ? json_value_text(text) : json_null();
}

static json_t *count_or_null(bool is_there, uint64_t count)
{
	return is_there ? json_value_count(count) : json_null();
}

json_t *render_filter_build(const struct filtered *f, const struct totals *totals)
{
	const struct selection_rule *rule = &f->rule;
	json_t *filter = json_object(), *share = json_object();

	json_value_set(filter, "thread",
		       count_or_null(rule->has_thread && !rule->thread_name, rule->thread));
	json_value_set(filter, "thread_name", text_or_null(rule->thread_name));
	json_value_set(filter, "from_ns", count_or_null(rule->has_from, rule->from));
	json_value_set(filter, "to_ns", count_or_null(rule->has_to, rule->to));
	json_value_set(filter, "at_ns", count_or_null(rule->has_at, rule->at));
	json_value_set(filter, "least_bytes", count_or_null(rule->has_size, rule->least));
	json_value_set(filter, "most_bytes",
		       count_or_null(rule->has_size && rule->most != UINT64_MAX, rule->most));
	json_value_set(filter, "function", text_or_null(f->function));
	json_value_set(filter, "module", text_or_null(f->module));
	json_value_set(filter, "group", text_or_null(f->group));
	json_value_set(filter, "rules", text_or_null(f->rules));
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
		const uint64_t whole = metric_total(&f->whole, metric);

		json_value_set(
			share, metric_name(metric),
			whole ? json_real((double)metric_total(totals, metric) / (double)whole)
			      : json_null());
	}
	json_value_set(filter, "share", share);
	json_value_set(filter, "whole", json_totals_build(&f->whole, true));
	return filter;
}

void render_filter_json(json_t *value, const struct filtered *f, const struct totals *totals)
{
	if (f)
		json_value_set(value, "filter", render_filter_build(f, totals));
}

void render_filter_line(FILE *out, const struct filtered *f, const struct totals *totals)
{
	char *text;

	if (!f)
		return;
	text = render_filter_text(f, totals);
	fputs("filter: ", out);
	text_put_clean(out, text);
	putc('\n', out);
	free(text);
}
