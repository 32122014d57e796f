/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/limits_draft.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json_input.h"
#include "analyzer/base/mem.h"
#include "analyzer/report/environment.h"
#include "analyzer/report/total_figures.h"

/* Of a group: what a rules file is about. */
static const char *const group_metrics[] = { "allocation_calls", "peak_bytes", NULL };
static const char *const phase_metrics[] = { "allocation_calls", "allocated_bytes", "peak_bytes",
					     "leaked_bytes",     "temporary_calls", NULL };
static const char *const turn_metrics[] = { "allocation_calls", "allocated_bytes",
					    "temporary_calls", "live_bytes", NULL };
static const char *const group_turn_metrics[] = { "allocation_calls", NULL };

void limits_draft_init(struct limits_draft *draft, size_t runs)
{
	*draft = (struct limits_draft){ .room = runs };
}

void limits_draft_release(struct limits_draft *draft)
{
	limits_release(&draft->limits);
	strlist_release(&draft->left_out);
	free(draft->value);
	*draft = (struct limits_draft){ .runs = 0 };
}

static void plan(struct limits *limits, const char *const *metric, const char *group,
		 const char *phase, bool is_per_iteration)
{
	for (; *metric; metric++)
		limits_add(limits, *metric, group, phase, is_per_iteration);
}

/* rules: NULL: none. */
static void plan_groups(struct limits *limits, const struct rules *rules, const char *const *metric,
			const char *phase, bool is_per_iteration)
{
	for (size_t i = 0; rules && i <= rules->rules; i++)
		plan(limits, metric, i < rules->rules ? rules->rule[i].name : "other", phase,
		     is_per_iteration);
}

void limits_draft_plan(struct limits_draft *draft, const struct measured *first)
{
	const struct told *told = &first->result->told;
	struct limits *limits = &draft->limits;
	const char *allocator =
		environment_value(trace_environment(first->summary->trace), "allocator");

	if (allocator && limits_can_name(allocator))
		limits->allocator = xstrndup(allocator, strcspn(allocator, " "));
	for (size_t i = 0; i < total_figures; i++)
		limits_add(limits, total_figure[i].name, NULL, NULL, false);
	plan_groups(limits, first->rules, group_metrics, NULL, false);
	for (size_t i = 0; told->phases > 1 && i < told->phases; i++)
		if (limits_can_name(told->phase[i].name))
			plan(limits, phase_metrics, NULL, told->phase[i].name, false);
		else
			strlist_take(&draft->left_out,
				     xasprintf("phase \"%s\": a budget cannot name it",
					       told->phase[i].name));
	for (size_t i = 0; i < told->phases; i++) {
		const char *name = told->phases > 1 ? told->phase[i].name : NULL;

		if (!told->phase[i].turns || (name && !limits_can_name(name)))
			continue;
		plan(limits, turn_metrics, NULL, name, true);
		plan_groups(limits, first->rules, group_turn_metrics, name, true);
	}
	draft->value = xcalloc(limits->count * draft->room, sizeof(*draft->value));
}

void limits_draft_add(struct limits_draft *draft, const struct measured *run)
{
	for (size_t i = 0; i < draft->limits.count; i++) {
		double *value = &draft->value[i * draft->room + draft->runs];
		char *why = measured_figure(run, &draft->limits.limit[i], value);

		if (why)
			*value = (double)NAN;
		free(why);
	}
	draft->runs++;
}

void limits_draft_add_rss(struct limits_draft *draft, const struct rss_file *file)
{
	struct limits_draft_rss *rss = &draft->rss;

	if (!rss->runs || file->least_peak_bytes < rss->least_bytes)
		rss->least_bytes = file->least_peak_bytes;
	if (file->most_peak_bytes > rss->most_bytes)
		rss->most_bytes = file->most_peak_bytes;
	if (file->peak_error_bytes > rss->error_bytes)
		rss->error_bytes = file->peak_error_bytes;
	rss->runs += file->runs;
}

/* --- JSON; what jansson cannot do is for want of memory */

static json_t *need(json_t *value)
{
	if (!value)
		out_of_memory(0);
	return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, need(value)))
		out_of_memory(0);
}

static char *dump(const json_t *value)
{
	char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17));

	if (!text)
		out_of_memory(0);
	return text;
}

/* Whole figures as such: nobody writes 1200.0. */
static json_t *build_figure(double value)
{
	if (value < 1e15 && value == (double)(json_int_t)value)
		return json_integer((json_int_t)value);
	return json_real(value);
}

static void append(json_t *list, json_t *value)
{
	if (json_array_append_new(list, need(value)))
		out_of_memory(0);
}

/* Takes the comment; returns the limit. */
static json_t *set_bound(json_t *limit, const char *bound, double value, char *comment)
{
	set(limit, bound, build_figure(value));
	set(limit, "comment", json_string(comment));
	free(comment);
	return limit;
}

/* NULL: a run has no such figure. */
static json_t *build_limit(const struct limits_draft *draft, size_t number)
{
	const double *value = &draft->value[number * draft->room];
	const struct limit *limit = &draft->limits.limit[number];
	double least = value[0], most = value[0];
	json_t *object;

	for (size_t i = 0; i < draft->runs; i++) {
		if (isnan(value[i]))
			return NULL;
		least = value[i] < least ? value[i] : least;
		most = value[i] > most ? value[i] : most;
	}
	object = need(json_object());
	set(object, "metric", json_string(limit->metric->name));
	if (limit->group)
		set(object, "group", json_string(limit->group));
	if (limit->phase)
		set(object, "phase", json_string(limit->phase));
	if (limit->is_per_iteration)
		set(object, "per", json_string("iteration"));
	if (least == most)
		return set_bound(object, "equal", most,
				 draft->runs > 1
					 ? xasprintf("the same in %zu runs", draft->runs)
					 : xstrdup("one run: that it repeats is not known"));
	return set_bound(object, "max", most + (most - least),
			 xasprintf("varies in %zu runs from %.17g to %.17g: the most and the "
				   "spread on top",
				   draft->runs, least, most));
}

/* Resident memory is the kernel's affair, too: never equality. */
static json_t *build_rss(const struct limits_draft_rss *rss)
{
	const unsigned long long least = rss->least_bytes, most = rss->most_bytes;
	const unsigned long long spread = most - least, error = rss->error_bytes;

	json_t *object = need(json_object());

	set(object, "metric", json_string("rss_peak_bytes"));
	if (rss->runs == 1)
		return set_bound(object, "max", (double)(most + most / 20),
				 xstrdup("one native run: its spread is not known, a twentieth "
					 "on top"));
	return set_bound(object, "max", (double)(most + (spread > error ? spread : error)),
			 xasprintf("from %llu to %llu in %zu native runs: the most and %s on top",
				   least, most, rss->runs,
				   spread > error ? "the spread" : "what it can be off by"));
}

static void leave_out(struct limits_draft *draft, const struct limit *limit)
{
	char *text = limit_text(limit);

	strlist_take(&draft->left_out, xasprintf("%s is not in all runs", text));
	free(text);
}

char *limits_draft_text(struct limits_draft *draft, const char *rules)
{
	json_t *top = need(json_object()), *list = need(json_array());
	char *text;

	set(top, "schema", json_string(LIMITS_SCHEMA));
	if (draft->limits.allocator)
		set(top, "allocator", json_string(draft->limits.allocator));
	if (rules)
		set(top, "rules", json_string(rules));
	for (size_t i = 0; i < draft->limits.count; i++) {
		json_t *limit = build_limit(draft, i);

		if (limit)
			append(list, limit);
		else
			leave_out(draft, &draft->limits.limit[i]);
	}
	if (draft->rss.runs)
		append(list, build_rss(&draft->rss));
	set(top, "limits", list);
	text = dump(top);
	json_decref(top);
	return text;
}

/* --- the ratchet */

/* One bound over all checks: row number i of each. */
static void lower(struct limits_ratchet *r, json_t *list, const struct check *check, size_t checks,
		  size_t i)
{
	const struct check_row *row = &check->row[i];
	json_t *limit = json_array_get(list, row->position);
	double least = row->actual, most = row->actual;

	if (row->bound != LIMIT_MAX && row->bound != LIMIT_EQUAL)
		return;
	for (size_t j = 1; j < checks; j++) {
		const double actual = check[j].row[i].actual;

		least = actual < least ? actual : least;
		most = actual > most ? actual : most;
	}
	if (row->bound == LIMIT_EQUAL && least != most) {
		r->varying++;
	} else if (most >= row->allowed) {
		r->kept++;
	} else {
		set(limit, limit_bound_name(row->bound), build_figure(most));
		r->lowered++;
	}
}

int limits_ratchet(struct limits_ratchet *r, const struct limits *limits, const struct check *check,
		   size_t checks, struct err *err)
{
	json_t *top = json_input_read(limits->path, err);
	json_t *list = json_object_get(top, "limits");

	*r = (struct limits_ratchet){ .text = NULL };
	if (!top)
		return -1;
	if (json_array_size(list) != limits->count) {
		json_decref(top);
		return err_set(err, "%s: it has changed meanwhile", limits->path);
	}
	for (size_t i = 0; checks && i < check->rows; i++)
		lower(r, list, check, checks, i);
	r->text = dump(top);
	json_decref(top);
	return 0;
}
