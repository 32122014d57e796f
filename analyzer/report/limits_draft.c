/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/limits_draft.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/environment.h"
#include "analyzer/report/spread.h"
#include "analyzer/report/total_figures.h"

/* Of a group: what a rules file is about. */
static const char *const group_metrics[] = { "allocation_calls", "peak_bytes" };
#define GROUP_METRICS (sizeof(group_metrics) / sizeof(*group_metrics))

void limits_draft_init(struct limits_draft *draft, size_t runs)
{
	*draft = (struct limits_draft){ .room = runs };
}

void limits_draft_release(struct limits_draft *draft)
{
	for (size_t i = 0; i < draft->rows; i++) {
		free(draft->row[i].group);
		free(draft->row[i].value);
	}
	free(draft->row);
	free(draft->allocator);
	*draft = (struct limits_draft){ .rows = 0 };
}

/* The row at a position, which is the same in all runs. */
static void put(struct limits_draft *draft, size_t position, const char *metric, const char *group,
		uint64_t value)
{
	if (position == draft->rows) {
		draft->row = xreallocarray(draft->row, draft->rows + 1, sizeof(*draft->row));
		draft->row[draft->rows++] = (struct limits_draft_row){
			.metric = metric,
			.group = group ? xstrdup(group) : NULL,
			.value = xcalloc(draft->room, sizeof(value)),
		};
	}
	draft->row[position].value[draft->runs] = value;
}

void limits_draft_add(struct limits_draft *draft, const struct measured *run)
{
	const char *allocator =
		environment_value(trace_environment(run->summary->trace), "allocator");
	struct groups groups;
	size_t position = 0;

	if (!draft->runs && allocator && *allocator)
		draft->allocator = xstrndup(allocator, strcspn(allocator, " "));
	for (size_t i = 0; i < total_figures; i++)
		put(draft, position++, total_figure[i].name, NULL,
		    total_figure_of(&total_figure[i], &run->result->totals));
	if (run->rules) {
		groups_build(&groups, run->rules, NULL, run->result, run->summary->names);
		for (size_t i = 0; i < groups.count; i++)
			for (size_t j = 0; j < GROUP_METRICS; j++)
				put(draft, position++, group_metrics[j],
				    group_name(&groups.group[i]),
				    limit_metric_get(&groups.group[i].sum,
						     limit_metric_find(group_metrics[j])->stack));
		groups_release(&groups);
	}
	draft->runs++;
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

static json_t *build_limit(const struct limits_draft *draft, const struct limits_draft_row *row)
{
	uint64_t *value = xcalloc(draft->runs, sizeof(*value));
	json_t *limit = need(json_object());
	struct spread spread;
	char *comment;

	memcpy(value, row->value, draft->runs * sizeof(*value));
	spread = spread_of(value, draft->runs);
	free(value);
	set(limit, "metric", json_string(row->metric));
	if (row->group)
		set(limit, "group", json_string(row->group));
	if (spread.least == spread.most) {
		set(limit, "equal", json_integer((json_int_t)spread.most));
		comment = draft->runs > 1 ? xasprintf("the same in %zu runs", draft->runs)
					  : xstrdup("one run: that it repeats is not known");
	} else {
		set(limit, "max",
		    json_integer((json_int_t)(spread.most + (spread.most - spread.least))));
		comment = xasprintf("varies in %zu runs from %llu to %llu: the most and the "
				    "spread on top",
				    draft->runs, (unsigned long long)spread.least,
				    (unsigned long long)spread.most);
	}
	set(limit, "comment", json_string(comment));
	free(comment);
	return limit;
}

char *limits_draft_text(const struct limits_draft *draft, const char *rules)
{
	json_t *top = need(json_object()), *limits = need(json_array());
	char *text;

	set(top, "schema", json_string(LIMITS_SCHEMA));
	if (draft->allocator)
		set(top, "allocator", json_string(draft->allocator));
	if (rules)
		set(top, "rules", json_string(rules));
	for (size_t i = 0; i < draft->rows; i++)
		if (json_array_append_new(limits, build_limit(draft, &draft->row[i])))
			out_of_memory(0);
	set(top, "limits", limits);
	text = dump(top);
	json_decref(top);
	return text;
}

/* --- the ratchet */

/* Whole figures as such: nobody writes 1200.0. */
static json_t *build_figure(double value)
{
	if (value < 1e15 && value == (double)(json_int_t)value)
		return json_integer((json_int_t)value);
	return json_real(value);
}

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
	json_error_t why;
	json_t *top = json_load_file(limits->path, 0, &why);
	json_t *list = json_object_get(top, "limits");

	*r = (struct limits_ratchet){ .text = NULL };
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
