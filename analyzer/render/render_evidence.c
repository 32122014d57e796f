/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_evidence.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"

static void put_folder(FILE *out, const struct evidence_facts *facts)
{
	text_put_clean(out, facts->folder);
	fputs(": ", out);
}

static void put_contents(FILE *out, const struct evidence_facts *facts)
{
	fprintf(out, "%s in %s", number_of(facts->originals, "original").text,
		number_of(facts->pieces, "piece").text);
	if (!facts->to)
		fprintf(out, ", %s; %s of %s", number_of(facts->tables, "table").text,
			number_of(facts->files, "file").text, number_of(facts->bytes, "byte").text);
}

void render_evidence_text(FILE *out, const struct evidence_facts *facts)
{
	for (size_t i = 0; i < facts->wrong.count; i++) {
		put_folder(out, facts);
		text_put_clean(out, facts->wrong.text[i]);
		putc('\n', out);
	}
	put_folder(out, facts);
	if (facts->wrong.count) {
		fputs("it is not what was packed\n", out);
		return;
	}
	put_contents(out, facts);
	if (facts->to) {
		fputs(", put together in ", out);
		text_put_clean(out, facts->to);
		putc('\n', out);
		return;
	}
	if (*facts->verb == 'v')
		fputs(": all are what they were, and what follows from the originals", out);
	putc('\n', out);
	put_folder(out, facts);
	fprintf(out, "SHA-256 of SHA256SUMS: %s\n", facts->sums.text);
}

void render_evidence_json(FILE *out, const struct evidence_facts *facts)
{
	json_t *value = json_object();
	char *text;

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text("evidence"));
	json_value_set(value, "verb", json_value_text(facts->verb));
	json_value_set(value, "folder", json_value_text(facts->folder));
	if (facts->to)
		json_value_set(value, "to", json_value_text(facts->to));
	json_value_set(value, "holds", json_boolean(!facts->wrong.count));
	json_value_set(value, "wrong", json_value_texts(facts->wrong.text, facts->wrong.count));
	json_value_set(value, "originals", json_value_count(facts->originals));
	json_value_set(value, "pieces", json_value_count(facts->pieces));
	json_value_set(value, "tables", json_value_count(facts->tables));
	json_value_set(value, "incomplete", json_value_count(facts->incomplete));
	json_value_set(value, "files", json_value_count(facts->files));
	json_value_set(value, "bytes", json_value_count(facts->bytes));
	json_value_set(value, "sums_sha256", json_value_text(facts->sums.text));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
