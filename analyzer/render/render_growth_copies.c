/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/number.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_view.h"
#include "analyzer/render/render_views.h"

static uint64_t steps_of(const struct stack_figures *sum)
{
	return sum->figure[GROWTH_COPIES_IN_PLACE] + sum->figure[GROWTH_COPIES_MOVED] +
	       sum->figure[GROWTH_COPIES_REPLACED];
}

static void put_row(FILE *out, const struct stack_figures *sum)
{
	const uint64_t *figure = sum->figure;

	fprintf(out, "%s copied in ", number_bytes(figure[GROWTH_COPIES_COPIED]).text);
	fprintf(out, "%s, ", number_of(steps_of(sum), "step").text);
	fprintf(out, "%s series begun: ", number_count(figure[GROWTH_COPIES_SERIES]).text);
	fprintf(out, "realloc in place %s, ", number_count(figure[GROWTH_COPIES_IN_PLACE]).text);
	fprintf(out, "moved %s, ", number_count(figure[GROWTH_COPIES_MOVED]).text);
	fprintf(out, "replaced %s", number_count(figure[GROWTH_COPIES_REPLACED]).text);
	if (figure[GROWTH_COPIES_OTHER])
		fprintf(out, "; %s that grew nothing",
			number_of(figure[GROWTH_COPIES_OTHER], "realloc").text);
}

void render_growth_copies_text(FILE *out, const struct summary *s, const struct stack_rows *rows,
			       uint64_t top, const struct render_style *style)
{
	const struct view_rows view = { rows, top, put_row };
	const uint64_t *all = rows->all.figure;
	const uint64_t steps = steps_of(&rows->all);

	render_view_head(out, s, style);
	fprintf(out, "\n%s of growth ", number_of(steps, "step").text);
	fprintf(out, "in %s series, ", number_count(all[GROWTH_COPIES_SERIES]).text);
	fprintf(out, "%s copied (at most %s of them by replacements)\n",
		number_bytes(all[GROWTH_COPIES_COPIED]).text,
		number_count(all[GROWTH_COPIES_REPLACED_BYTES]).text);
	if (steps)
		fprintf(out,
			"One reserve for each series would have saved these calls (%s of the "
			"allocation calls) and copies.\n",
			number_percent(steps, s->totals->allocation_calls).text);
	fprintf(out, "\nBy stack of the call that grows, the most bytes copied first; %s\n",
		number_of(rows->count, "stack").text);
	render_view_rows(out, &view, style);
}

void render_growth_copies_json(FILE *out, const struct summary *s, const struct stack_rows *rows,
			       uint64_t top)
{
	static const char *const keys[STACK_FIGURES] = {
		[GROWTH_COPIES_IN_PLACE] = "reallocs_in_place",
		[GROWTH_COPIES_MOVED] = "reallocs_moved",
		[GROWTH_COPIES_MOVED_BYTES] = "moved_bytes",
		[GROWTH_COPIES_REPLACED] = "replaced",
		[GROWTH_COPIES_REPLACED_BYTES] = "replaced_bytes",
		[GROWTH_COPIES_SERIES] = "series",
		[GROWTH_COPIES_OTHER] = "other_reallocs",
		[GROWTH_COPIES_COPIED] = "copied_bytes",
	};
	const struct view_rows view = { rows, top, put_row };
	json_t *value = render_view_json(s, "growth-copies"), *all = json_object();

	for (size_t i = 0; i < STACK_FIGURES; i++)
		json_value_set(all, keys[i], json_value_count(rows->all.figure[i]));
	json_value_set(all, "saved_calls", json_value_count(steps_of(&rows->all)));
	json_value_set(value, "all", all);
	render_view_rows_json(out, value, &view, keys);
}
