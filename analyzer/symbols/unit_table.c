/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/unit_table.h"

#include <dwarf.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"

struct unit_table {
	Dwarf *dwarf, *shared; /* the latter may be NULL */
	struct unit *unit;
	size_t count, room;
	struct code_ranges ranges; /* the owner is the unit's number */
	bool is_split;
};

static void add_unit(struct unit_table *table, Dwarf_Die *die, Dwarf_Die *split)
{
	struct unit *unit;

	if (!code_ranges_add(&table->ranges, die, (uint32_t)table->count))
		return;
	if (table->count == table->room) {
		table->room = table->room * 2 + 16;
		table->unit = xreallocarray(table->unit, table->room, sizeof(*table->unit));
	}
	unit = &table->unit[table->count];
	*unit = (struct unit){ (uint32_t)table->count, *die, *die };
	if (dwarf_tag(split) == DW_TAG_compile_unit)
		unit->tree = *split;
	table->count++;
}

struct unit_table *unit_table_new(Elf *elf, Elf *shared)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	struct unit_table *table;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	if (!dwarf)
		return NULL;
	table = xcalloc(1, sizeof(*table));
	table->dwarf = dwarf;
	table->shared = shared ? dwarf_begin_elf(shared, DWARF_C_READ, NULL) : NULL;
	if (table->shared)
		dwarf_setalt(dwarf, table->shared);
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split)) {
		add_unit(table, &die, &split);
		table->is_split |= type == DW_UT_skeleton;
	}
	code_ranges_sort(&table->ranges);
	if (!table->count) {
		unit_table_free(table);
		return NULL;
	}
	return table;
}

void unit_table_free(struct unit_table *table)
{
	if (!table)
		return;
	dwarf_end(table->dwarf);
	dwarf_end(table->shared);
	code_ranges_release(&table->ranges);
	free(table->unit);
	free(table);
}

bool unit_table_is_split(const struct unit_table *table)
{
	return table->is_split;
}

size_t unit_table_count(const struct unit_table *table)
{
	return table->count;
}

struct unit *unit_table_get(const struct unit_table *table, uint32_t number)
{
	return &table->unit[number];
}

struct range_search unit_table_search(const struct unit_table *table, uint64_t addr)
{
	return code_ranges_search(&table->ranges, addr);
}

struct unit *unit_table_next(const struct unit_table *table, struct range_search *search,
			     uint64_t addr)
{
	const struct code_range *range = code_ranges_next(&table->ranges, search, addr);

	return range ? &table->unit[range->owner] : NULL;
}
