/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/runs.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/name_parts.h"
#include "analyzer/base/text.h"
#include "analyzer/report/comparable.h"

/* A module of frames without a function, and the builds of it that were seen. */
struct runs_module {
	char *name, *build_id;
	bool has_others; /* of that name with another build ID, or without one */
};

void runs_init(struct runs *runs, size_t count)
{
	*runs = (struct runs){ .room = count };
	runs->run = xcalloc(count, sizeof(*runs->run));
	runs->names = name_pool_new();
	runs->tree = stack_tree_new();
	name_pool_add(runs->names, ""); /* so that no frame is 0 */
}

static void release_rows(struct runs *runs)
{
	for (size_t i = 0; i < runs->rows; i++)
		free(runs->row[i].value);
	free(runs->row);
	runs->row = NULL;
	runs->rows = runs->row_room = 0;
}

void runs_release(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++) {
		free(runs->run[i].path);
		suppressed_release(&runs->run[i].suppressed);
	}
	for (size_t i = 0; i < runs->modules; i++) {
		free(runs->module[i].name);
		free(runs->module[i].build_id);
	}
	for (size_t i = 0; i < runs->groups; i++) {
		free(runs->group[i].name);
		free(runs->group[i].value);
	}
	free(runs->group);
	release_rows(runs);
	free(runs->run);
	free(runs->module);
	name_pool_free(runs->names);
	stack_tree_free(runs->tree);
	*runs = (struct runs){ .count = 0 };
}

/* Is it known by this build only, as far as we have seen? */
static void note_module(struct runs *runs, const struct module *module)
{
	const char *name = comparable_base_name(module->path);
	char *build_id = text_hex(module->build_id, module->build_id_bytes);
	struct runs_module *known = NULL;

	for (size_t i = 0; i < runs->modules && !known; i++)
		if (!strcmp(runs->module[i].name, name))
			known = &runs->module[i];
	if (!known) {
		runs->module = xreallocarray(runs->module, runs->modules + 1, sizeof(*known));
		known = &runs->module[runs->modules++];
		*known = (struct runs_module){ xstrdup(name), xstrdup(build_id), !*build_id };
	}
	known->has_others = known->has_others || strcmp(known->build_id, build_id);
	free(build_id);
}

/* Of a frame without a function, before it is known whether other builds come: a mark, the module,
 * and the offset behind another one. */
#define UNNAMED '\1'

static uint32_t name_of(struct runs *runs, const struct frame_name *frame)
{
	struct name_parts parts;
	uint32_t number;
	char *text;

	if (frame->has_symbol) {
		name_parts_split(&parts, frame->function);
		text = xasprintf("%s%s", parts.specialization, parts.parameters);
		name_parts_release(&parts);
	} else if (frame->module) {
		text = xasprintf("%c%s%c%llx", UNNAMED, comparable_base_name(frame->module->path),
				 UNNAMED, (unsigned long long)frame->offset);
	} else {
		text = xstrdup(frame->function);
	}
	number = name_pool_add(runs->names, text);
	free(text);
	return number;
}

static struct runs_row *row_of(struct runs *runs, uint32_t node)
{
	uint32_t *const value = &runs->tree->node[node].value;

	if (*value == STACK_TREE_NO_VALUE) {
		if (runs->rows == runs->row_room) {
			runs->row_room = runs->row_room * 2 + 64;
			runs->row = xreallocarray(runs->row, runs->row_room, sizeof(*runs->row));
		}
		runs->row[runs->rows] =
			(struct runs_row){ node,
					   xcalloc(runs->room, METRIC_COUNT * sizeof(uint64_t)) };
		*value = (uint32_t)runs->rows++;
	}
	return &runs->row[*value];
}

/* The node of a stack that is shown, by way of its caller's. node_of: what is known, by shown node.
 */
static uint32_t find_node(struct runs *runs, const struct shown_stacks *stacks, uint32_t *node_of,
			  uint32_t shown)
{
	uint32_t parent, name;

	if (!shown || node_of[shown])
		return shown ? node_of[shown] : 0;
	parent = find_node(runs, stacks, node_of, shown_stacks_parent(stacks, shown));
	name = name_of(runs, shown_stacks_frame(stacks, shown));
	node_of[shown] = stack_tree_child(runs->tree, parent, name);
	return node_of[shown];
}

void runs_add(struct runs *runs, const struct trace *trace, const struct result *result,
	      const struct shown_stacks *stacks, const struct filtered *filtered)
{
	uint32_t *node_of = xcalloc(shown_stacks_nodes(stacks), sizeof(*node_of));
	const struct module_map *map = trace_modules(trace);
	const size_t number = runs->count++;

	runs->run[number] = (struct run){ .path = xstrdup(trace_path(trace)),
					  .totals = result->totals,
					  .is_filtered = filtered != NULL };
	if (filtered)
		runs->run[number].filtered = *filtered;
	for (size_t i = 0; i < module_map_count(map); i++)
		note_module(runs, module_map_get(map, i));
	for (size_t i = 0; i < shown_stacks_count(stacks); i++) {
		const struct stack_totals *sum = &shown_stacks_at(stacks, i)->sum;
		const uint32_t node = find_node(runs, stacks, node_of, sum->node);
		struct runs_row *row = row_of(runs, node);

		for (int m = 0; m < METRIC_COUNT; m++)
			row->value[number * METRIC_COUNT + (size_t)m] +=
				metric_weight(sum, (enum metric)m);
	}
	free(node_of);
}

void runs_add_groups(struct runs *runs, const struct groups *groups)
{
	const size_t run = runs->count - 1;

	if (!runs->group) {
		runs->groups = groups->count;
		runs->group = xcalloc(groups->count, sizeof(*runs->group));
		for (size_t i = 0; i < groups->count; i++)
			runs->group[i] =
				(struct runs_group){ xstrdup(group_name(&groups->group[i])),
						     xcalloc(runs->room,
							     METRIC_COUNT * sizeof(uint64_t)) };
	}
	for (size_t i = 0; i < groups->count; i++)
		for (int m = 0; m < METRIC_COUNT; m++)
			runs->group[i].value[run * METRIC_COUNT + (size_t)m] =
				metric_weight(&groups->group[i].sum, (enum metric)m);
}

static bool is_one_build(const struct runs *runs, const char *name, size_t length)
{
	for (size_t i = 0; i < runs->modules; i++)
		if (!strncmp(runs->module[i].name, name, length) && !runs->module[i].name[length])
			return !runs->module[i].has_others;
	return false;
}

/* What a name is called when all runs are known. */
static uint32_t final_name(struct runs *runs, uint32_t name)
{
	const char *text = name_pool_text(runs->names, name);
	uint32_t number;
	size_t length;
	char *shown;

	if (*text != UNNAMED)
		return name;
	text++;
	length = strcspn(text, (const char[]){ UNNAMED, '\0' });
	if (is_one_build(runs, text, length))
		shown = xasprintf("%.*s+0x%s", (int)length, text, text + length + 1);
	else
		shown = xasprintf("%.*s", (int)length, text);
	number = name_pool_add(runs->names, shown);
	free(shown);
	return number;
}

/* The tree anew, with the names that are final: stacks that differed by those only become one. */
void runs_settle(struct runs *runs)
{
	struct stack_tree *const old = runs->tree;
	struct runs_row *const row = runs->row;
	const size_t rows = runs->rows;
	const uint32_t names = name_pool_count(runs->names);
	uint32_t *name = xcalloc(names, sizeof(*name)),
		 *moved = xcalloc(old->count, sizeof(*moved));

	for (uint32_t i = 1; i < names; i++)
		name[i] = final_name(runs, i);
	runs->tree = stack_tree_new();
	runs->row = NULL;
	runs->rows = runs->row_room = 0;
	for (uint32_t i = 1; i < old->count; i++) { /* callers come first */
		const uint32_t parent = moved[old->node[i].parent], was = old->node[i].frame;
		const bool is_same = parent && *name_pool_text(runs->names, was) == UNNAMED &&
				     runs->tree->node[parent].frame == name[was];

		moved[i] = is_same ? parent : stack_tree_child(runs->tree, parent, name[was]);
	}
	for (size_t i = 0; i < rows; i++) {
		struct runs_row *to = row_of(runs, moved[row[i].node]);

		for (size_t j = 0; j < runs->count * METRIC_COUNT; j++)
			to->value[j] += row[i].value[j];
		free(row[i].value);
	}
	stack_tree_free(old);
	free(row);
	free(name);
	free(moved);
}

/* As runs_settle has put it into the tree. node_of: as in find_node. */
static uint32_t find_settled(struct runs *runs, const struct shown_stacks *stacks,
			     uint32_t *node_of, uint32_t shown)
{
	uint32_t was, name, parent;

	if (!shown || node_of[shown])
		return shown ? node_of[shown] : 0;
	parent = find_settled(runs, stacks, node_of, shown_stacks_parent(stacks, shown));
	was = name_of(runs, shown_stacks_frame(stacks, shown));
	name = final_name(runs, was);
	if (parent && *name_pool_text(runs->names, was) == UNNAMED &&
	    runs->tree->node[parent].frame == name)
		node_of[shown] = parent;
	else
		node_of[shown] = stack_tree_child(runs->tree, parent, name);
	return node_of[shown];
}

size_t *runs_rows_of(struct runs *runs, const struct shown_stacks *stacks)
{
	uint32_t *node_of = xcalloc(shown_stacks_nodes(stacks), sizeof(*node_of));
	size_t *row = xcalloc(shown_stacks_count(stacks) + 1, sizeof(*row));

	for (size_t i = 0; i < shown_stacks_count(stacks); i++) {
		const uint32_t node = shown_stacks_at(stacks, i)->sum.node;

		row[i] = runs->tree->node[find_settled(runs, stacks, node_of, node)].value;
	}
	free(node_of);
	return row;
}

const char *runs_frame(const struct runs *runs, uint32_t node)
{
	return name_pool_text(runs->names, stack_tree_frame(runs->tree, node));
}

uint32_t runs_parent(const struct runs *runs, uint32_t node)
{
	return stack_tree_parent(runs->tree, node);
}
