/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_anonymize.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/render/json_value.h"

void render_anonymize_text(FILE *out, const struct anonymize_facts *facts)
{
	fprintf(out, "%s: %s with other names; %s: those of its addresses, %s\n", facts->to,
		facts->from, facts->symbols, number_count(facts->addresses).text);
}

void render_anonymize_json(FILE *out, const struct anonymize_facts *facts)
{
	json_t *value = json_object();
	char *text;

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text("anonymize"));
	json_value_set(value, "from", json_value_text(facts->from));
	json_value_set(value, "to", json_value_text(facts->to));
	json_value_set(value, "symbols", json_value_text(facts->symbols));
	json_value_set(value, "addresses", json_value_count(facts->addresses));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
