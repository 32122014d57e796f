/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_view.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"

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
