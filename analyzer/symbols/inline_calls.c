/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/inline_calls.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/symbols/code_ranges.h"

#define NESTING_MAX 512      /* of DIEs: a damaged file has no end of them */
#define CALLS_MAX (1u << 22) /* of a function */

struct inlined_call {
	Dwarf_Die die;
	uint32_t depth;       /* 1: stands in the function itself */
	size_t first, ranges; /* in the function's */
};

/* A function, and its inlined calls as a tree in preorder. */
struct function {
	Dwarf_Die die;
	bool is_read;
	struct inlined_call *call;
	size_t count, room;
	struct code_ranges ranges; /* of the calls, in their order */
};

/* The functions of a unit. */
struct function_list {
	struct function *function;
	size_t count, room;
	struct code_ranges ranges; /* the owner is a function's number */
	bool is_listed;            /* those that lie in no other function */
	bool is_complete;          /* all */
};

struct inline_calls {
	struct unit_table *units;
	struct function_list *list; /* by unit */
};

struct inline_calls *inline_calls_new(struct unit_table *units)
{
	struct inline_calls *calls = xcalloc(1, sizeof(*calls));

	calls->units = units;
	calls->list = xcalloc(unit_table_count(units), sizeof(*calls->list));
	return calls;
}

static void release_list(struct function_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->function[i].call);
		code_ranges_release(&list->function[i].ranges);
	}
	free(list->function);
	code_ranges_release(&list->ranges);
	*list = (struct function_list){ .function = NULL };
}

void inline_calls_free(struct inline_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < unit_table_count(calls->units); i++)
		release_list(&calls->list[i]);
	free(calls->list);
	free(calls);
}

/* Goes on to the next sibling. One that lies before is a damaged file's, and would never end. */
static bool step(Dwarf_Die *die)
{
	const Dwarf_Off before = dwarf_dieoffset(die);

	return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

static void add_function(struct function_list *list, Dwarf_Die *die)
{
	if (!code_ranges_add(&list->ranges, die, (uint32_t)list->count))
		return;
	if (list->count == list->room) {
		list->room = list->room * 2 + 16;
		list->function = xreallocarray(list->function, list->room, sizeof(*list->function));
	}
	list->function[list->count++] = (struct function){ .die = *die };
}

static void list_functions(struct function_list *list, Dwarf_Die *parent, unsigned nesting)
{
	Dwarf_Die die;

	if (nesting == NESTING_MAX || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_function(list, &die);
			if (list->is_complete)
				list_functions(list, &die, nesting + 1);
			break;
		case DW_TAG_lexical_block:
			if (list->is_complete)
				list_functions(list, &die, nesting + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
		case DW_TAG_interface_type:
			list_functions(list, &die, nesting + 1);
			break;
		default:
			break;
		}
	} while (step(&die));
}

static struct function *find_in_list(const struct function_list *list, uint64_t addr)
{
	struct range_search search = code_ranges_search(&list->ranges, addr);
	const struct code_range *range = code_ranges_next(&list->ranges, &search, addr);

	return range ? &list->function[range->owner] : NULL;
}

static struct function *find_function(struct function_list *list, struct unit *unit, uint64_t addr)
{
	struct function *found;

	if (!list->is_listed) {
		list->is_listed = true;
		list_functions(list, &unit->tree, 0);
		code_ranges_sort(&list->ranges);
	}
	found = find_in_list(list, addr);
	if (found || list->is_complete)
		return found;
	/* It may lie in another one, or in a type that does. */
	release_list(list);
	list->is_listed = true;
	list->is_complete = true;
	list_functions(list, &unit->tree, 0);
	code_ranges_sort(&list->ranges);
	return find_in_list(list, addr);
}

static void list_calls(struct function *function, Dwarf_Die *parent, uint32_t depth,
		       unsigned nesting);

static void add_call(struct function *function, Dwarf_Die *die, uint32_t depth, unsigned nesting)
{
	const size_t first = function->ranges.count;
	const size_t ranges = code_ranges_add(&function->ranges, die, 0);

	if (!ranges || function->count == CALLS_MAX)
		return;
	if (function->count == function->room) {
		function->room = function->room * 2 + 8;
		function->call =
			xreallocarray(function->call, function->room, sizeof(*function->call));
	}
	function->call[function->count++] = (struct inlined_call){ *die, depth, first, ranges };
	list_calls(function, die, depth + 1, nesting + 1);
}

static void list_calls(struct function *function, Dwarf_Die *parent, uint32_t depth,
		       unsigned nesting)
{
	Dwarf_Die die;

	if (nesting == NESTING_MAX || dwarf_child(parent, &die))
		return;
	do {
		const int tag = dwarf_tag(&die);

		if (tag == DW_TAG_lexical_block)
			list_calls(function, &die, depth, nesting + 1);
		else if (tag == DW_TAG_inlined_subroutine)
			add_call(function, &die, depth, nesting);
	} while (step(&die));
}

static bool is_in_call(const struct function *function, const struct inlined_call *call,
		       uint64_t addr)
{
	for (size_t i = 0; i < call->ranges; i++) {
		const struct code_range *range = &function->ranges.range[call->first + i];

		if (addr >= range->start && addr < range->end)
			return true;
	}
	return false;
}

static uint32_t get_number(Dwarf_Die *die, unsigned attribute_name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute_name, &attribute) || dwarf_formudata(&attribute, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static void build_chain(struct inline_chain *chain, const struct function *function,
			const struct unit *unit, uint64_t addr)
{
	chain->die[chain->count++] = function->die;
	for (size_t i = 0; i < function->count; i++) {
		const struct inlined_call *call = &function->call[i];
		struct call_site *site;

		if (call->depth < chain->count) /* behind all that the last one encloses */
			break;
		if (call->depth > chain->count || chain->count == INLINE_DEPTH_MAX ||
		    !is_in_call(function, call, addr))
			continue;
		site = &chain->call[chain->count - 1];
		chain->die[chain->count] = call->die;
		site->unit = unit->number;
		site->file = get_number(&chain->die[chain->count], DW_AT_call_file);
		site->line = get_number(&chain->die[chain->count], DW_AT_call_line);
		chain->count++;
	}
}

void inline_calls_find(struct inline_calls *calls, uint64_t addr, struct inline_chain *chain)
{
	struct range_search search = unit_table_search(calls->units, addr);
	struct unit *unit;

	chain->count = 0;
	while (!chain->count && (unit = unit_table_next(calls->units, &search, addr))) {
		struct function *function = find_function(&calls->list[unit->number], unit, addr);

		if (!function)
			continue;
		if (!function->is_read) {
			function->is_read = true;
			list_calls(function, &function->die, 1, 0);
		}
		build_chain(chain, function, unit, addr);
	}
}
