/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/json_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/render/json_value.h"

void json_stacks_init(struct json_stacks *json, FILE *out, const char *margin)
{
	*json = (struct json_stacks){ .out = out, .margin = margin };
}

void json_stacks_release(struct json_stacks *json)
{
	for (size_t i = 0; i < json->texts; i++)
		free(json->text[i]);
	free(json->text);
	json->text = NULL;
	json->texts = 0;
}

static char *build_frame(const struct frame_name *frame)
{
	const struct source_line source = frame->line;
	json_t *value = json_object();
	char *text;

	json_value_set(value, "function", json_value_text(frame->function));
	json_value_set(value, "file", json_value_text(source.file));
	json_value_set(value, "line", json_value_count(source.line));
	json_value_set(value, "module", json_value_text(frame->module ? frame->module->path : ""));
	json_value_set(value, "offset", json_value_hex(frame->offset));
	json_value_set(value, "inlined", json_boolean(frame->outer));
	text = json_value_dump(value, 0);
	json_decref(value);
	return text;
}

static const char *get_frame(struct json_stacks *json, const struct frame_name *frame)
{
	if (frame->number >= json->texts) {
		const size_t texts = ((size_t)frame->number + 1) * 2;

		json->text = xreallocarray(json->text, texts, sizeof(*json->text));
		memset(json->text + json->texts, 0, (texts - json->texts) * sizeof(*json->text));
		json->texts = texts;
	}
	if (!json->text[frame->number])
		json->text[frame->number] = build_frame(frame);
	return json->text[frame->number];
}

void json_stacks_put(struct json_stacks *json, const struct json_figure *figure, size_t figures,
		     struct shown_walk walk, bool is_last)
{
	const struct frame_name *frame;
	const char *before = "";
	json_t *value;

	fprintf(json->out, "%s{", json->margin);
	for (size_t i = 0; i < figures; i++) {
		value = json_value_count(figure[i].value);
		fprintf(json->out, "\"%s\": %" JSON_INTEGER_FORMAT ", ", figure[i].key,
			json_integer_value(value));
		json_decref(value);
	}
	if (json->members)
		fputs(json->members, json->out);
	fputs("\"frames\": [", json->out);
	while ((frame = shown_walk_next(&walk))) {
		fprintf(json->out, "%s\n%s  %s", before, json->margin, get_frame(json, frame));
		before = ",";
	}
	fprintf(json->out, "]}%s\n", is_last ? "" : ",");
}
