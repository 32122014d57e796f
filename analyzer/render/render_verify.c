/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_verify.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"

static const char *const state_text[] = {
	[VERIFY_OK] = "ok",
	[VERIFY_FAILED] = "FAILED",
	[VERIFY_NOT_CHECKED] = "not checked",
};
static const char *const state_key[] = {
	[VERIFY_OK] = "ok",
	[VERIFY_FAILED] = "failed",
	[VERIFY_NOT_CHECKED] = "not_checked",
};
static const char indent[] = "                                ";

static void more(FILE *out, uint64_t count, size_t shown)
{
	if (count > shown)
		fprintf(out, "%sand %s more\n", indent, number_count(count - shown).text);
}

static void put_line(FILE *out, const char *before, const char *text)
{
	fputs(before, out);
	text_put_clean(out, text);
	putc('\n', out);
}

static void render_check(FILE *out, const struct verify_check *check)
{
	/* the text of one that failed is the first of these */
	const size_t problems_said = check->state == VERIFY_FAILED && check->problems.count;
	const size_t differences_said = check->state == VERIFY_FAILED && !check->problems.count;

	fprintf(out, "  %-12s %-16s ", state_text[check->state], check->name);
	put_line(out, "", check->text);
	for (size_t i = problems_said; i < check->problems.count; i++)
		put_line(out, indent, check->problems.text[i]);
	more(out, check->problem_count, check->problems.count);
	for (size_t i = differences_said; i < check->differences; i++) {
		char *text = verify_difference_text(&check->difference[i]);

		put_line(out, indent, text);
		free(text);
	}
	more(out, check->difference_count, check->differences);
}

void render_verify_text(FILE *out, const char *path, const struct verify_report *report)
{
	unsigned count[3] = { 0 };

	put_line(out, "verify ", path);
	for (size_t i = 0; i < report->checks; i++) {
		render_check(out, &report->check[i]);
		count[report->check[i].state]++;
	}
	fprintf(out, "%s: %s %s, %u failed, %u not made\n",
		verify_holds(report) ? "verified" : "NOT verified",
		number_of(count[VERIFY_OK], "check").text, count[VERIFY_OK] == 1 ? "holds" : "hold",
		count[VERIFY_FAILED], count[VERIFY_NOT_CHECKED]);
}

static json_t *check_value(const struct verify_check *check)
{
	json_t *value = json_object(), *differences = json_array();

	json_value_set(value, "name", json_value_text(check->name));
	json_value_set(value, "state", json_value_text(state_key[check->state]));
	json_value_set(value, "text", json_value_text(check->text));
	json_value_set(value, "problems",
		       json_value_texts(check->problems.text, check->problems.count));
	json_value_set(value, "problem_count", json_value_count(check->problem_count));
	for (size_t i = 0; i < check->differences; i++) {
		const struct verify_difference *d = &check->difference[i];
		json_t *one = json_object();

		json_value_set(one, "figure", json_value_text(d->figure));
		if (d->stack)
			json_value_set(one, "stack", json_value_text(d->stack));
		json_value_set(one, "report", json_value_count(d->report));
		json_value_set(one, "second", json_value_count(d->second));
		json_value_append(differences, one);
	}
	json_value_set(value, "differences", differences);
	json_value_set(value, "difference_count", json_value_count(check->difference_count));
	return value;
}

void render_verify_json(FILE *out, const char *path, const struct verify_report *report)
{
	json_t *value = json_object(), *checks = json_array();
	char *text;

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text("verify"));
	json_value_set(value, "path", json_value_text(path));
	json_value_set(value, "verified", json_boolean(verify_holds(report)));
	json_value_set(value, "complete", json_boolean(report->is_complete));
	for (size_t i = 0; i < report->checks; i++)
		json_value_append(checks, check_value(&report->check[i]));
	json_value_set(value, "checks", checks);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
