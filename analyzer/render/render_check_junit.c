/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JUnit's XML, as CI services read it: a suite for each trace, a case for each limit. A limit that
 * is exceeded is a failure; what is not available, or not comparable, an error. */
#include <jansson.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/render/check_text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_check.h"

/* XML has no control characters but these, and no bytes that are not UTF-8. */
static void put_xml(FILE *out, const char *text)
{
	json_t *valid = json_value_text(text);

	for (const char *at = json_string_value(valid); *at; at++) {
		const unsigned char c = (unsigned char)*at;

		if (c == '&')
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

static void put_row(FILE *out, const struct check *check, const struct check_row *row)
{
	char *text = check_text_row(row), *limit = limit_text(row->limit),
	     *position = check_text_position(row), *name;

	name = xasprintf("%s %s", limit, limit_bound_name(row->bound));
	fputs("    <testcase", out);
	put_attribute(out, "classname", check->path);
	put_attribute(out, "name", name);
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
	free(limit);
	free(position);
}

static void put_reasons(FILE *out, const struct check *check)
{
	fputs("    <testcase", out);
	put_attribute(out, "classname", check->path);
	put_attribute(out, "name", "comparable");
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

void render_check_junit(FILE *out, const struct check_view *view)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"xalloc\">\n", out);
	for (size_t i = 0; i < view->checks; i++) {
		const struct check *check = &view->check[i];

		fputs("  <testsuite", out);
		put_attribute(out, "name", view->limits->path);
		fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n",
			check->rows + 1, check->exceeded,
			check->not_available + (check->reasons.count ? 1 : 0));
		put_reasons(out, check);
		for (size_t j = 0; j < check->rows; j++)
			put_row(out, check, &check->row[j]);
		fputs("  </testsuite>\n", out);
	}
	fputs("</testsuites>\n", out);
}
