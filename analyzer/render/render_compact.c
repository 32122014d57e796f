/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_compact.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"

void render_compact_text(FILE *out, const struct compact_facts *facts)
{
	text_put_clean(out, facts->to);
	fprintf(out, ": %s, %.1f %% of ", number_of(facts->bytes_after, "byte").text,
		facts->bytes_before
			? 100.0 * (double)facts->bytes_after / (double)facts->bytes_before
			: 0.0);
	text_put_clean(out, facts->from);
	if (!facts->has_addresses || !facts->has_stamps)
		fprintf(out, ", without %s%s%s", facts->has_addresses ? "" : "addresses",
			facts->has_addresses || facts->has_stamps ? "" : " and ",
			facts->has_stamps ? "" : "stamps");
	putc('\n', out);
}

void render_compact_json(FILE *out, const struct compact_facts *facts)
{
	json_t *value = json_object(), *dropped = json_array();
	char *text;

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text("compact"));
	json_value_set(value, "from", json_value_text(facts->from));
	json_value_set(value, "to", json_value_text(facts->to));
	json_value_set(value, "bytes_before", json_value_count(facts->bytes_before));
	json_value_set(value, "bytes_after", json_value_count(facts->bytes_after));
	if (!facts->has_addresses)
		json_value_append(dropped, json_value_text("addresses"));
	if (!facts->has_stamps)
		json_value_append(dropped, json_value_text("stamps"));
	json_value_set(value, "dropped", dropped);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
