/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_view.h"
#include "analyzer/render/render_views.h"

static void put_classes(FILE *out, const struct lifetime_class *classes)
{
	struct view_class rows[LIFETIME_CLASSES];

	for (size_t i = 0; i < LIFETIME_CLASSES; i++) {
		const struct number blocks = number_of(classes[i].blocks, "block");

		rows[i] = (struct view_class){ classes[i].blocks,
					       xasprintf("%s, %s", blocks.text,
							 number_bytes(classes[i].bytes).text) };
	}
	render_view_classes(out, rows, LIFETIME_CLASSES);
	for (size_t i = 0; i < LIFETIME_CLASSES; i++)
		free(rows[i].text);
}

static void put_row(FILE *out, const struct stack_figures *sum)
{
	const uint64_t ended = sum->figure[LIFETIME_ENDED], live = sum->figure[LIFETIME_LIVE];

	fputs(number_of(ended, "block").text, out);
	if (live)
		fprintf(out, " and %s that still live", number_count(live).text);
	if (!ended)
		return;
	fprintf(out, "; lived through %s calls",
		number_tenths((double)sum->figure[LIFETIME_CALLS] / (double)ended).text);
	fprintf(out, " and %s bytes each in the mean",
		number_tenths((double)sum->figure[LIFETIME_BYTES] / (double)ended).text);
}

void render_lifetimes_text(FILE *out, const struct summary *s, const struct lifetimes *l,
			   const struct stack_rows *rows, uint64_t top,
			   const struct render_style *style)
{
	const struct view_rows view = { rows, top, put_row };

	render_view_head(out, s, style);
	fprintf(out, "\n%s ended, ", number_of(l->ended.blocks, "block").text);
	fprintf(out, "%s live at the end\n", number_count(l->live.blocks).text);
	fputs("\nBlocks that ended, by the allocation calls that they lived through:\n", out);
	put_classes(out, l->by_calls);
	fputs("\nThe same by the bytes requested meanwhile:\n", out);
	put_classes(out, l->by_bytes);
	fprintf(out, "\nBy stack, the most blocks first; %s\n",
		number_of(rows->count, "stack").text);
	render_view_rows(out, &view, style);
}

static json_t *build_class(const struct lifetime_class *class)
{
	json_t *value = json_object();

	json_value_set(value, "blocks", json_value_count(class->blocks));
	json_value_set(value, "bytes", json_value_count(class->bytes));
	return value;
}

static json_t *build_classes(const struct lifetime_class *classes)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < LIFETIME_CLASSES; i++) {
		json_t *value;

		if (!classes[i].blocks)
			continue;
		value = build_class(&classes[i]);
		json_value_set(value, "least", json_value_count(number_class_least(i)));
		json_value_set(value, "most", json_value_count(number_class_most(i)));
		json_value_append(list, value);
	}
	return list;
}

void render_lifetimes_json(FILE *out, const struct summary *s, const struct lifetimes *l,
			   const struct stack_rows *rows, uint64_t top)
{
	static const char *const keys[STACK_FIGURES] = {
		[LIFETIME_ENDED] = "ended_blocks", [LIFETIME_LIVE] = "live_blocks",
		[LIFETIME_CALLS] = "lived_calls",  [LIFETIME_BYTES] = "lived_bytes",
		[LIFETIME_GIVEN] = "bytes",
	};
	const struct view_rows view = { rows, top, put_row };
	json_t *value = render_view_json(s, "lifetimes");

	json_value_set(value, "ended", build_class(&l->ended));
	json_value_set(value, "live", build_class(&l->live));
	json_value_set(value, "by_calls", build_classes(l->by_calls));
	json_value_set(value, "by_bytes", build_classes(l->by_bytes));
	render_view_rows_json(out, value, &view, keys);
}
