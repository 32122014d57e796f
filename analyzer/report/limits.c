/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/limits.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json_input.h"
#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "analyzer/report/limit_bounds.h"

static const char *const bound_names[LIMIT_BOUNDS] = {
	[LIMIT_EQUAL] = "equal",
	[LIMIT_MAX] = "max",
	[LIMIT_MIN] = "min",
	[LIMIT_MAX_INCREASE] = "max_increase",
	[LIMIT_MAX_DECREASE] = "max_decrease",
};

bool limits_can_name(const char *name)
{
	json_t *value = json_string(name); /* none, if it is not UTF-8 */
	const bool can = value && *name;

	json_decref(value);
	return can;
}

const char *limit_bound_name(enum limit_bound bound)
{
	return bound_names[bound];
}

/* A path in the file, from where that is. Owned by the caller. */
static char *resolve(const struct limits *limits, const char *name)
{
	const char *slash = strrchr(limits->path, '/');

	if (*name == '/' || !slash)
		return xstrdup(name);
	return xasprintf("%.*s%s", (int)(slash + 1 - limits->path), limits->path, name);
}

size_t limits_add_baseline(struct limits *limits, const char *path)
{
	for (size_t i = 0; i < limits->baseline.count; i++)
		if (!strcmp(limits->baseline.text[i], path))
			return i;
	strlist_take(&limits->baseline, xstrdup(path));
	return limits->baseline.count - 1;
}

static size_t add_named_baseline(struct limits *limits, const char *name)
{
	char *path = resolve(limits, name);
	const size_t number = limits_add_baseline(limits, path);

	free(path);
	return number;
}

static int read_text(char **text, const json_t *value, const struct json_input_place *place,
		     struct err *err)
{
	if (!json_is_string(value) || !*json_string_value(value))
		return json_input_error(err, place, "this is not a text");
	*text = xstrdup(json_string_value(value));
	return 0;
}

/* A number, or a text with a unit that goes with the metric. */
static int read_bound(struct limit *limit, enum limit_bound bound, const json_t *value,
		      const struct json_input_place *place, struct err *err)
{
	const bool is_relative = bound == LIMIT_MAX_INCREASE || bound == LIMIT_MAX_DECREASE;
	struct amount *to = &limit->bound[bound];
	struct err why;

	*to = (struct amount){ .value = json_number_value(value), .unit = AMOUNT_PLAIN };
	if (json_is_string(value)) {
		if (amount_parse(to, json_string_value(value), &why))
			return json_input_error(err, place, "%s", why.text);
	} else if (!json_is_number(value)) {
		return json_input_error(err, place,
					"this is neither a number nor a text with a unit");
	}
	if (to->value < 0 && !(limit->metric && limit->metric->is_signed))
		return json_input_error(err, place, "a limit is not below 0");
	if (to->unit == AMOUNT_BYTES && limit->metric && !limit->metric->is_bytes)
		return json_input_error(err, place, "%s is not measured in bytes",
					limit->metric->name);
	if (to->unit == AMOUNT_PERCENT && !is_relative && limit->metric &&
	    limit->metric->source != LIMIT_RATIO && limit->metric->source != LIMIT_UNEXPLAINED)
		return json_input_error(err, place,
					"%s is no share: a percentage goes with max_increase "
					"and a baseline",
					limit->metric->name);
	limit->has[bound] = true;
	return 0;
}

static int read_metric(struct limit *limit, const json_t *value,
		       const struct json_input_place *place, struct err *err)
{
	const char *name = json_string_value(value);

	limit->metric = name ? limit_metric_find(name) : NULL;
	if (!limit->metric)
		return json_input_error(err, place, "there is no metric \"%s\"", name ? name : "");
	return 0;
}

static int read_thread(struct limit *limit, const json_t *value,
		       const struct json_input_place *place, struct err *err)
{
	const char *name = json_string_value(value);

	if (!(name && *name) && (!json_is_integer(value) || json_integer_value(value) < 0 ||
				 json_integer_value(value) > UINT32_MAX))
		return json_input_error(err, place,
					"this is neither a thread's number (0 is main) nor a "
					"name");
	limit->has_thread = true;
	if (name)
		limit->thread.name = xstrdup(name);
	else
		limit->thread.number = (uint32_t)json_integer_value(value);
	return 0;
}

static int read_member(struct limits *limits, struct limit *limit, const char *key,
		       const json_t *value, const struct json_input_place *place, struct err *err)
{
	char *text;

	if (!strcmp(key, "metric") || !strcmp(key, "comment"))
		return 0; /* the metric was read first */
	if (!strcmp(key, "group"))
		return read_text(&limit->group, value, place, err);
	if (!strcmp(key, "function"))
		return read_text(&limit->function, value, place, err);
	if (!strcmp(key, "phase"))
		return read_text(&limit->phase, value, place, err);
	if (!strcmp(key, "thread"))
		return read_thread(limit, value, place, err);
	if (!strcmp(key, "per")) {
		if (!json_is_string(value) || strcmp(json_string_value(value), "iteration"))
			return json_input_error(err, place, "the only thing is \"iteration\"");
		limit->is_per_iteration = true;
		return 0;
	}
	if (!strcmp(key, "baseline")) {
		if (read_text(&text, value, place, err))
			return -1;
		limit->baseline = add_named_baseline(limits, text);
		free(text);
		return 0;
	}
	for (enum limit_bound bound = 0; bound < LIMIT_BOUNDS; bound++)
		if (!strcmp(key, bound_names[bound]))
			return read_bound(limit, bound, value, place, err);
	return json_input_error(
		err, place,
		"this is none of metric, max, min, equal, max_increase, "
		"max_decrease, baseline, group, function, phase, thread, per, comment");
}

/* What does not go together is no figure. */
static int check_scope(const struct limits *limits, const struct limit *limit,
		       const struct json_input_place *place, struct err *err)
{
	const struct limit_metric *metric = limit->metric;
	struct err why;

	if (limit->group && limit->function)
		return json_input_error(err, place,
					"\"group\" and \"function\" do not go together");
	if (limit->group && !limits->rules_path)
		return json_input_error(err, place, "\"group\" needs \"rules\" in the budget");
	if (!limit->is_per_iteration && !strcmp(metric->name, "live_bytes"))
		return json_input_error(err, place,
					"%s is a figure of an iteration only: \"per\": "
					"\"iteration\"",
					metric->name);
	if ((limit->group || limit->function) && metric->stack == LIMIT_NOWHERE)
		return json_input_error(err, place, "%s has no figure of a group or function: %s",
					metric->name, metric->no_stack);
	if (limit->has_thread && metric->stack == LIMIT_NOWHERE)
		return json_input_error(err, place, "%s has no figure of a thread: %s",
					metric->name, metric->no_stack);
	if (limit->is_per_iteration && metric->turn == LIMIT_NOWHERE)
		return json_input_error(err, place, "%s has no figure of an iteration: %s",
					metric->name, metric->no_turn);
	if (limit->phase && !limit->is_per_iteration && metric->phase == LIMIT_NOWHERE)
		return json_input_error(err, place, "%s has no figure of a phase: %s", metric->name,
					metric->no_phase);
	if (limit_bounds_check(limits, &why))
		return json_input_error(err, place, "%s", why.text);
	return 0;
}

struct limit_part limit_part_of(const struct limit *limit)
{
	return (struct limit_part){ .phase = limit->phase,
				    .has_thread = limit->has_thread,
				    .is_per_iteration = limit->is_per_iteration,
				    .thread = limit->thread };
}

bool limit_part_is_same(const struct limit_part *a, const struct limit_part *b)
{
	return a->has_thread == b->has_thread && a->is_per_iteration == b->is_per_iteration &&
	       a->thread.number == b->thread.number &&
	       text_is_same(a->thread.name, b->thread.name) && text_is_same(a->phase, b->phase);
}

static size_t add_part(struct limits *limits, const struct limit *limit)
{
	const struct limit_part part = limit_part_of(limit);
	const bool is_peak_of_phase = limit->phase && limit->metric->table == METRIC_PEAK;

	if (limit->metric->stack == LIMIT_NOWHERE ||
	    (!limit->has_thread && !limit->is_per_iteration && !is_peak_of_phase))
		return LIMITS_NO_PART;
	for (size_t i = 0; i < limits->parts; i++)
		if (limit_part_is_same(&limits->part[i], &part))
			return i;
	limits->part = xreallocarray(limits->part, limits->parts + 1, sizeof(*limits->part));
	limits->part[limits->parts++] = part;
	return limits->parts - 1;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void limits_add(struct limits *limits, const char *metric, const char *group, const char *phase,
		bool is_per_iteration)
{
	struct limit *limit;

	limits->limit = xreallocarray(limits->limit, limits->count + 1, sizeof(*limits->limit));
	limit = &limits->limit[limits->count++];
	*limit = (struct limit){ .metric = limit_metric_find(metric),
				 .group = copy(group),
				 .phase = copy(phase),
				 .is_per_iteration = is_per_iteration,
				 .baseline = LIMITS_NO_BASELINE };
	limit->part = add_part(limits, limit);
	limits->has_groups |= group != NULL;
}

static int read_limit(struct limits *limits, size_t position, json_t *entry, struct err *err)
{
	struct json_input_place place = { .file = limits->path };
	struct limit *limit = &limits->limit[limits->count++];
	struct err why;
	const char *key;
	json_t *value;

	*limit = (struct limit){ .baseline = LIMITS_NO_BASELINE };
	snprintf(place.text, sizeof(place.text), "limits[%zu]", position);
	if (!json_is_object(entry))
		return json_input_error(err, &place, "a limit is an object");
	if (!json_object_get(entry, "metric"))
		return json_input_error(err, &place, "the limit has no \"metric\"");
	snprintf(place.text, sizeof(place.text), "limits[%zu].metric", position);
	if (read_metric(limit, json_object_get(entry, "metric"), &place, err))
		return -1;
	json_object_foreach(entry, key, value)
	{
		snprintf(place.text, sizeof(place.text), "limits[%zu].%.60s", position, key);
		if (read_member(limits, limit, key, value, &place, err))
			return -1;
	}
	limits->has_groups |= limit->group != NULL;
	limits->has_unexplained |= limit->metric->source == LIMIT_UNEXPLAINED;
	limits->has_resident |=
		limit->metric->source == LIMIT_UNEXPLAINED || limit->metric->source == LIMIT_RSS;
	if (limit->function) {
		snprintf(place.text, sizeof(place.text), "limits[%zu].function", position);
		if (rules_init_all(&limit->rules, limit->function,
				   (const char *const *)&limit->function, 1, &why))
			return json_input_error(err, &place, "\"%s\": %s", limit->function,
						why.text);
	}
	snprintf(place.text, sizeof(place.text), "limits[%zu]", position);
	limit->part = add_part(limits, limit);
	return check_scope(limits, limit, &place, err);
}

static int read_head(struct limits *limits, json_t *top, struct err *err)
{
	struct json_input_place place = { limits->path, "the whole file" };
	const char *schema = json_string_value(json_object_get(top, "schema"));
	const char *key;
	json_t *value;
	char *text;

	if (!json_is_object(top))
		return json_input_error(err, &place, "it is no object");
	if (!schema || strcmp(schema, LIMITS_SCHEMA))
		return json_input_error(err, &place, "its \"schema\" is not \"%s\"", LIMITS_SCHEMA);
	json_object_foreach(top, key, value)
	{
		snprintf(place.text, sizeof(place.text), "%.60s", key);
		if (!strcmp(key, "schema") || !strcmp(key, "comment") || !strcmp(key, "limits"))
			continue;
		if (strcmp(key, "rules") && strcmp(key, "baseline") && strcmp(key, "allocator"))
			return json_input_error(err, &place,
						"this is none of schema, limits, rules, "
						"baseline, allocator, comment");
		if (read_text(&text, value, &place, err))
			return -1;
		if (!strcmp(key, "rules"))
			limits->rules_path = resolve(limits, text);
		else if (!strcmp(key, "baseline"))
			limits->default_baseline = add_named_baseline(limits, text);
		else
			limits->allocator = xstrdup(text);
		free(text);
	}
	return 0;
}

static int read_object(struct limits *limits, json_t *top, struct err *err)
{
	struct json_input_place place = { limits->path, "limits" };
	const json_t *list = json_object_get(top, "limits");

	if (read_head(limits, top, err))
		return -1;
	if (!json_is_array(list) || !json_array_size(list))
		return json_input_error(err, &place,
					"there is no list of limits with something in it");
	limits->limit = xcalloc(json_array_size(list), sizeof(*limits->limit));
	for (size_t i = 0; i < json_array_size(list); i++)
		if (read_limit(limits, i, json_array_get(list, i), err))
			return -1;
	return 0;
}

int limits_read(struct limits *limits, const char *path, struct err *err)
{
	json_t *top;
	int ret;

	*limits = (struct limits){ .path = xstrdup(path), .default_baseline = LIMITS_NO_BASELINE };
	top = json_input_read(path, err);
	if (!top)
		return -1;
	ret = read_object(limits, top, err);
	json_decref(top);
	return ret;
}

void limits_release(struct limits *limits)
{
	for (size_t i = 0; i < limits->count; i++) {
		struct limit *limit = &limits->limit[i];

		free(limit->group);
		free(limit->function);
		free(limit->phase);
		free(limit->thread.name);
		if (limit->rules.texts)
			rules_release(&limit->rules);
	}
	free(limits->limit);
	free(limits->part);
	free(limits->path);
	free(limits->rules_path);
	free(limits->allocator);
	strlist_release(&limits->baseline);
	*limits = (struct limits){ .count = 0 };
}

/* " of group \"paths\"", or nothing. */
static char *part_text(const char *word, const char *name)
{
	return name ? xasprintf(" %s \"%s\"", word, name) : xstrdup("");
}

char *limit_thread_text(const struct limit_thread *thread)
{
	return thread->name ? xasprintf("threads \"%s\"", thread->name)
			    : xasprintf("thread %u", thread->number);
}

char *limit_text(const struct limit *limit)
{
	char *group = part_text("of group", limit->group);
	char *function = part_text("of function", limit->function);
	char *phase = part_text("in phase", limit->phase);
	char *who = limit_thread_text(&limit->thread);
	char *thread = limit->has_thread ? xasprintf(" of %s", who) : xstrdup("");
	char *text = xasprintf("%s%s%s%s%s%s", limit->metric->name, group, function, thread, phase,
			       limit->is_per_iteration ? " per iteration" : "");

	free(group);
	free(function);
	free(phase);
	free(who);
	free(thread);
	return text;
}
