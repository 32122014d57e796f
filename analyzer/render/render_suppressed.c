/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_suppressed.h"

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"

static void put_one(FILE *out, const struct suppressed *one)
{
	fprintf(out, "%s in %s, %s\n", number_bytes(one->bytes).text,
		number_of(one->blocks, "block").text, number_of(one->stacks, "stack").text);
}

void render_suppressed_text(FILE *out, const struct suppressed_leaks *leaks, struct leaks_left left,
			    const char *indent)
{
	const struct suppressions *list = leaks->suppressions;

	if (!list)
		return;
	fprintf(out, "%sSuppressed by ", indent);
	text_put_clean(out, list->path);
	fputs(": ", out);
	put_one(out, &leaks->sum);
	for (size_t i = 0; i < list->count; i++) {
		fprintf(out, "%s  leak:", indent);
		text_put_clean(out, list->entry[i].pattern);
		fprintf(out, " (line %u): ", list->entry[i].line);
		put_one(out, &leaks->entry[i]);
	}
	fprintf(out, "%sLeaked besides: %s in %s\n", indent, number_bytes(left.bytes).text,
		number_of(left.blocks, "block").text);
}

static void set_one(json_t *object, const struct suppressed *one)
{
	json_value_set(object, "bytes", json_value_count(one->bytes));
	json_value_set(object, "blocks", json_value_count(one->blocks));
	json_value_set(object, "stacks", json_value_count(one->stacks));
}

json_t *render_suppressed_build(const struct suppressed_leaks *leaks, struct leaks_left left)
{
	json_t *value = json_object(), *list = json_array();

	json_value_set(value, "path", json_value_text(leaks->suppressions->path));
	set_one(value, &leaks->sum);
	json_value_set(value, "remaining_bytes", json_value_count(left.bytes));
	json_value_set(value, "remaining_blocks", json_value_count(left.blocks));
	for (size_t i = 0; i < leaks->suppressions->count; i++) {
		const struct suppression *suppression = &leaks->suppressions->entry[i];
		json_t *entry = json_object();

		json_value_set(entry, "pattern", json_value_text(suppression->pattern));
		json_value_set(entry, "line", json_value_count(suppression->line));
		set_one(entry, &leaks->entry[i]);
		json_value_append(list, entry);
	}
	json_value_set(value, "entries", list);
	return value;
}

void render_suppressed_json(json_t *value, const struct suppressed_leaks *leaks,
			    struct leaks_left left)
{
	if (leaks->suppressions)
		json_value_set(value, "suppressions", render_suppressed_build(leaks, left));
}
