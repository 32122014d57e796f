/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JUnit's XML, as CI services read it and as its strictest schema (that of Ant's reports) wants it:
 * a suite for each trace, a case for each limit. A limit that is exceeded is a failure; what is not
 * available, or not comparable, an error. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/mem.h"
#include "analyzer/render/check_text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_check.h"

/* U+FFFE and U+FFFF, which are no characters of XML. */
static bool is_none(const char *at)
{
	return !strncmp(at, "\xEF\xBF\xBE", 3) || !strncmp(at, "\xEF\xBF\xBF", 3);
}

/* XML has no control characters but these, and no bytes that are not UTF-8. */
static void put_xml(FILE *out, const char *text)
{
	json_t *valid = json_value_text(text);

	for (const char *at = json_string_value(valid); *at; at++) {
		const unsigned char c = (unsigned char)*at;

		if (is_none(at)) {
			putc('?', out);
			at += 2;
		} else if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c < 0x20 && c != '\n' && c != '\t')
			fputs("?", out);
		else
			putc(c, out);
	}
	json_decref(valid);
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	put_xml(out, text);
	putc('"', out);
}

static void put_stacks(FILE *out, const struct check_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++) {
		const struct check_stack *stack = &stacks->stack[i];
		char *text = check_text_stack(stacks, stack);

		put_xml(out, text);
		free(text);
		putc('\n', out);
		for (size_t j = 0; j < stack->frames; j++) {
			const struct check_frame *frame = &stack->frame[j];

			fputs("  ", out);
			put_xml(out, frame->function);
			if (frame->line) {
				fputs("  ", out);
				put_xml(out, frame->file);
				fprintf(out, ":%u", frame->line);
			}
			putc('\n', out);
		}
	}
}

static char *name_of(const struct check_row *row)
{
	char *limit = limit_text(row->limit);
	char *name = xasprintf("%s %s", limit, limit_bound_name(row->bound));

	free(limit);
	return name;
}

/* Services know a case by its name. Of those that would have the same, as two limits with different
 * baselines have, the later ones have their places too. Owned by the caller. */
static char *unique_name_of(const struct check *check, const struct check_row *row)
{
	char *name = name_of(row), *with_place;
	bool is_unique = true;

	for (const struct check_row *other = check->row; other < row && is_unique; other++) {
		char *others = name_of(other);

		is_unique = strcmp(name, others) != 0;
		free(others);
	}
	if (is_unique)
		return name;
	with_place = xasprintf("%s, limits[%zu]", name, row->position);
	free(name);
	return with_place;
}

static void put_row(FILE *out, const struct check *check, const struct check_row *row)
{
	char *text = check_text_row(row), *position = check_text_position(row);
	char *name = unique_name_of(check, row);

	fputs("    <testcase", out);
	put_attribute(out, "classname", check->path);
	put_attribute(out, "name", name);
	put_attribute(out, "time", "0");
	if (row->state == CHECK_WITHIN) {
		fputs("/>\n", out);
	} else {
		const char *element = row->state == CHECK_EXCEEDED ? "failure" : "error";

		fprintf(out, ">\n      <%s", element);
		put_attribute(out, "type", check_state_text(row->state));
		put_attribute(out, "message", text);
		putc('>', out);
		put_xml(out, position);
		putc('\n', out);
		put_stacks(out, &row->stacks);
		fprintf(out, "</%s>\n    </testcase>\n", element);
	}
	free(name);
	free(text);
	free(position);
}

static void put_reasons(FILE *out, const struct check *check)
{
	fputs("    <testcase", out);
	put_attribute(out, "classname", check->path);
	put_attribute(out, "name", "comparable");
	put_attribute(out, "time", "0");
	if (!check->reasons.count) {
		fputs("/>\n", out);
		return;
	}
	fputs(">\n      <error", out);
	put_attribute(out, "type", check_verdict_text(CHECK_NOT_COMPARABLE));
	put_attribute(out, "message", check->reasons.text[0]);
	putc('>', out);
	for (size_t i = 0; i < check->reasons.count; i++) {
		put_xml(out, check->reasons.text[i]);
		putc('\n', out);
	}
	fputs("</error>\n    </testcase>\n", out);
}

/* When the process began, and how long it ran: limits are checked in no time. */
static void put_time(FILE *out, const struct check *check)
{
	const time_t began = (time_t)(check->began_ns / 1000000000u);
	char text[32] = "1970-01-01T00:00:00";
	struct tm tm;

	if (gmtime_r(&began, &tm) && tm.tm_year < 8100)
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	put_attribute(out, "timestamp", text);
	put_attribute(out, "hostname", "localhost");
	fprintf(out, " time=\"%.3f\"", (double)check->duration_ns / 1e9);
}

void render_check_junit(FILE *out, const struct check_view *view)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	for (size_t i = 0; i < view->checks; i++) {
		const struct check *check = &view->check[i];

		fprintf(out, "  <testsuite id=\"%zu\" package=\"xalloc\"", i);
		put_attribute(out, "name", view->limits->path);
		put_time(out, check);
		fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n",
			check->rows + 1, check->exceeded,
			check->not_available + (check->reasons.count ? 1 : 0));
		fputs("    <properties/>\n", out);
		put_reasons(out, check);
		for (size_t j = 0; j < check->rows; j++)
			put_row(out, check, &check->row[j]);
		fputs("    <system-out/>\n    <system-err/>\n  </testsuite>\n", out);
	}
	fputs("</testsuites>\n", out);
}
