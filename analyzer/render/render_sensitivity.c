/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_sensitivity.h"

#include <stdlib.h>

#include "analyzer/base/text.h"
#include "analyzer/render/check_text.h"
#include "analyzer/render/json_value.h"

static void put_row(FILE *out, const struct sensitivity_row *row)
{
	char *base = check_text_figure(row->base->actual),
	     *more = check_text_figure(row->more->actual), *bound = check_text_bound(row->base),
	     *fixed = check_text_figure(row->fixed), *limit = limit_text(row->base->limit);
	const bool is_there = row->state != SENSITIVITY_NOT_AVAILABLE;

	fprintf(out, "  %-16s %14s %14s", sensitivity_state_text(row->state), is_there ? base : "-",
		is_there ? more : "-");
	if (is_there && row->ratio > 0)
		fprintf(out, " %9.4g %14s", row->ratio, fixed);
	else
		fprintf(out, " %9s %14s", "-", "-");
	fprintf(out, "  %-28s ", is_there ? bound : limit_bound_name(row->base->bound));
	text_put_clean(out, limit);
	putc('\n', out);
	free(base);
	free(more);
	free(bound);
	free(fixed);
	free(limit);
}

static void put_reasons(FILE *out, const struct check *check)
{
	for (size_t i = 0; i < check->reasons.count; i++) {
		text_put_clean(out, check->path);
		fputs(": not comparable: ", out);
		text_put_clean(out, check->reasons.text[i]);
		putc('\n', out);
	}
}

void render_sensitivity_text(FILE *out, const struct sensitivity *s, const struct check *base,
			     const struct check *more)
{
	static const char *const verdicts[] = { "the budget notices it", "the budget is NOT fit",
						"not comparable" };

	text_put_clean(out, base->path);
	fputs(", and ", out);
	text_put_clean(out, more->path);
	fprintf(out, " with %.6g times its work: %s\n", s->factor, verdicts[s->verdict]);
	put_reasons(out, base);
	put_reasons(out, more);
	fprintf(out, "  %-16s %14s %14s %9s %14s  %-28s limit\n", "", "base", "more", "times",
		"fixed part", "bound");
	for (size_t i = 0; i < s->rows; i++)
		put_row(out, &s->row[i]);
	if (!s->count[SENSITIVITY_NOTICES])
		fputs("no limit notices the extra work\n", out);
	if (s->count[SENSITIVITY_BLIND])
		fputs("blind: the figure grows with the work, and the limit has room for it\n",
		      out);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	json_value_set(object, key, json_value_text(text));
}

void render_sensitivity_json(FILE *out, const struct sensitivity *s, const struct check *base,
			     const struct check *more)
{
	json_t *value = json_object(), *rows = json_array(), *reasons = json_array();
	char *text;

	for (size_t i = 0; i < base->reasons.count + more->reasons.count; i++)
		json_value_append(
			reasons,
			json_value_text(i < base->reasons.count
						? base->reasons.text[i]
						: more->reasons.text[i - base->reasons.count]));
	for (size_t i = 0; i < s->rows; i++) {
		const struct sensitivity_row *row = &s->row[i];
		json_t *one = json_object();

		json_value_set(one, "position", json_value_count(row->base->position));
		set_text(one, "metric", row->base->limit->metric->name);
		set_text(one, "bound", limit_bound_name(row->base->bound));
		set_text(one, "state", sensitivity_state_text(row->state));
		json_value_set(one, "base", json_real(row->base->actual));
		json_value_set(one, "more", json_real(row->more->actual));
		json_value_set(one, "ratio", json_real(row->ratio));
		json_value_set(one, "fixed", json_real(row->fixed));
		json_value_append(rows, one);
	}
	set_text(value, "schema", "xalloc-sensitivity/1");
	set_text(value, "base", base->path);
	set_text(value, "more", more->path);
	json_value_set(value, "factor", json_real(s->factor));
	set_text(value, "verdict", check_verdict_text(s->verdict));
	json_value_set(value, "reasons", reasons);
	json_value_set(value, "limits", rows);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
