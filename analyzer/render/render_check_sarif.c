/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SARIF 2.1.0: one result for each limit that is not kept, where its first stack is, with all of
 * its stacks; and one for each reason why a trace cannot be judged. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/render/check_text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_check.h"
#include "analyzer/report/check_place.h"

static const char sarif_schema[] =
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
	"sarif-schema-2.1.0.json";

static json_t *build_message(const char *text)
{
	json_t *value = json_object();

	json_value_set(value, "text", json_value_text(text));
	return value;
}

/* A relative or absolute reference: what may not stand in one is %XX. */
static char *make_uri(const char *path)
{
	static const char fine[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789-._~/";
	char *uri = xmalloc(3 * strlen(path) + sizeof("file://")), *end = uri;

	if (*path == '/')
		end += sprintf(end, "file://");
	for (; *path; path++) {
		if (strchr(fine, *path))
			*end++ = *path;
		else
			end += sprintf(end, "%%%02X", (unsigned char)*path);
	}
	*end = '\0';
	return uri;
}

static json_t *build_location(const char *file, uint32_t line, bool is_below_root)
{
	json_t *value = json_object(), *physical = json_object(), *artifact = json_object(),
	       *region = json_object();
	char *uri = make_uri(file);

	json_value_set(artifact, "uri", json_value_text(uri));
	if (is_below_root)
		json_value_set(artifact, "uriBaseId", json_value_text("%SRCROOT%"));
	json_value_set(region, "startLine", json_value_count(line));
	json_value_set(physical, "artifactLocation", artifact);
	json_value_set(physical, "region", region);
	json_value_set(value, "physicalLocation", physical);
	free(uri);
	return value;
}

static json_t *build_frame(const struct check_frame *frame, const char *root)
{
	const struct check_place place = check_place_of_frame(frame, root);
	json_t *value = json_object(), *location;

	if (place.file)
		location = build_location(place.file, place.line, place.is_below_root);
	else
		location = json_object();
	json_value_set(location, "message", build_message(frame->function));
	json_value_set(value, "location", location);
	json_value_set(value, "module", json_value_text(frame->module));
	free(place.file);
	return value;
}

static json_t *build_stacks(const struct check_stacks *stacks, const char *root)
{
	json_t *list = json_array();

	for (size_t i = 0; i < stacks->count; i++) {
		json_t *value = json_object(), *frames = json_array();
		char *text = check_text_stack(stacks, &stacks->stack[i]);

		json_value_set(value, "message", build_message(text));
		for (size_t j = 0; j < stacks->stack[i].frames; j++)
			json_value_append(frames, build_frame(&stacks->stack[i].frame[j], root));
		json_value_set(value, "frames", frames);
		json_value_append(list, value);
		free(text);
	}
	return list;
}

/* Without a stack that has a line the budget itself is the place. */
static json_t *build_locations(const struct check_view *view, const struct check_stacks *stacks)
{
	struct check_place place = { .file = NULL };
	json_t *list = json_array();

	for (size_t i = 0; stacks && i < stacks->count && !place.file; i++)
		place = check_place_of(&stacks->stack[i], view->root);
	if (!place.file) {
		char *path = xstrdup(view->budget);

		place = check_place_of_frame(&(struct check_frame){ .file = path, .line = 1 },
					     view->root);
		free(path);
	}
	json_value_append(list, build_location(place.file, place.line, place.is_below_root));
	free(place.file);
	return list;
}

static json_t *build_result(const struct check_view *view, const struct check *check,
			    const char *rule, const char *text, const struct check_stacks *stacks)
{
	json_t *value = json_object();
	char *whole = xasprintf("%s (%s)", text, check->path);

	json_value_set(value, "ruleId", json_value_text(rule));
	json_value_set(value, "level", json_value_text("error"));
	json_value_set(value, "message", build_message(whole));
	json_value_set(value, "locations", build_locations(view, stacks));
	if (stacks && stacks->count)
		json_value_set(value, "stacks", build_stacks(stacks, view->root));
	free(whole);
	return value;
}

static void add_results(json_t *results, const struct check_view *view, const struct check *check)
{
	for (size_t i = 0; i < check->reasons.count; i++)
		json_value_append(results, build_result(view, check, "not-comparable",
							check->reasons.text[i], NULL));
	for (size_t i = 0; i < check->rows; i++) {
		const struct check_row *row = &check->row[i];
		char *text = check_text_row(row);

		if (row->state == CHECK_EXCEEDED)
			json_value_append(results,
					  build_result(view, check, row->limit->metric->name, text,
						       &row->stacks));
		else if (row->state == CHECK_NOT_AVAILABLE)
			json_value_append(results,
					  build_result(view, check, "not-available", text, NULL));
		free(text);
	}
}

/* What services show beside the results of a rule. */
static json_t *build_rule(const char *id, const char *what)
{
	static const char *const keys[] = { "shortDescription", "fullDescription", "help" };
	json_t *rule = json_object();

	json_value_set(rule, "id", json_value_text(id));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_value_set(rule, keys[i], build_message(what));
	return rule;
}

/* One each metric that the budget limits, and two of ours. */
static json_t *build_rules(const struct limits *limits)
{
	json_t *list = json_array();

	for (size_t i = 0; i < limits->count; i++) {
		const char *name = limits->limit[i].metric->name;
		bool is_known = false;
		char *what;

		for (size_t j = 0; j < i; j++)
			is_known |= !strcmp(limits->limit[j].metric->name, name);
		if (is_known)
			continue;
		what = xasprintf("A limit of the allocation budget on %s is exceeded", name);
		json_value_append(list, build_rule(name, what));
		free(what);
	}
	json_value_append(list, build_rule("not-comparable",
					   "A trace cannot be judged by the allocation budget"));
	json_value_append(list, build_rule("not-available",
					   "A limit of the allocation budget has no figure"));
	return list;
}

void render_check_sarif(FILE *out, const struct check_view *view)
{
	json_t *value = json_object(), *runs = json_array(), *run = json_object(),
	       *tool = json_object(), *driver = json_object(), *results = json_array();
	char *text;

	json_value_set(driver, "name", json_value_text("xalloc-report check"));
	json_value_set(driver, "version", json_value_text(XALLOC_VERSION));
	json_value_set(driver, "rules", build_rules(view->limits));
	json_value_set(tool, "driver", driver);
	for (size_t i = 0; i < view->checks; i++)
		add_results(results, view, &view->check[i]);
	json_value_set(run, "tool", tool);
	json_value_set(run, "results", results);
	json_value_append(runs, run);
	json_value_set(value, "$schema", json_value_text(sarif_schema));
	json_value_set(value, "version", json_value_text("2.1.0"));
	json_value_set(value, "runs", runs);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
