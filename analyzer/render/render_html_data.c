/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_html.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/render/html_text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/short_name.h"

static json_t *build_metrics(const struct html_page *page)
{
	json_t *metrics = json_array();

	for (enum metric i = 0; i < METRIC_COUNT; i++) {
		json_t *metric = json_object();

		json_value_set(metric, "name", json_value_text(metric_name(i)));
		json_value_set(metric, "unit", json_value_text(metric_unit(i)));
		json_value_set(metric, "total",
			       json_value_count(metric_total(page->summary->totals, i)));
		json_value_append(metrics, metric);
	}
	return metrics;
}

/* [function, its short form if it has another, module] */
static json_t *build_name(const struct frame_name *frame)
{
	char *name = frame->has_symbol ? short_name_build(frame->function) : NULL;
	json_t *value = json_array();

	json_value_append(value, json_value_text(frame->function));
	json_value_append(value, json_value_text(name));
	json_value_append(value, json_value_text(frame->has_symbol && frame->module
							 ? module_base_name(frame->module)
							 : NULL));
	free(name);
	return value;
}

/* [its caller's place, its name's place or -1, frames left out, the five sums] */
static json_t *build_node(const struct flame_node *node, int64_t name)
{
	json_t *value = json_array();

	json_value_append(value, json_value_count(node->parent));
	json_value_append(value, json_integer(name));
	json_value_append(value, json_value_count(node->left_out));
	for (int i = 0; i < METRIC_COUNT; i++)
		json_value_append(value, json_value_count(node->sum[i]));
	return value;
}

void render_html_data(FILE *out, const struct html_page *page)
{
	const struct flame_tree *tree = page->tree;
	json_t *data = json_object(), *names = json_array(), *nodes = json_array();
	uint32_t *place = NULL, room = 0; /* by number of a name: its place, and 1 */

	for (size_t i = 0; i < tree->count; i++) {
		const struct frame_name *frame = tree->node[i].frame;
		int64_t name = -1;

		if (frame && frame->name >= room) {
			const uint32_t wanted = 2 * frame->name + 64;

			place = xreallocarray(place, wanted, sizeof(*place));
			while (room < wanted)
				place[room++] = 0;
		}
		if (frame && !place[frame->name]) {
			json_value_append(names, build_name(frame));
			place[frame->name] = (uint32_t)json_array_size(names);
		}
		if (frame)
			name = (int64_t)place[frame->name] - 1;
		json_value_append(nodes, build_node(&tree->node[i], name));
	}
	free(place);
	json_value_set(data, "metrics", build_metrics(page));
	json_value_set(data, "frames", json_value_count(tree->frames));
	json_value_set(data, "names", names);
	json_value_set(data, "nodes", nodes);
	html_text_put_json(out, data);
	json_decref(data);
}
