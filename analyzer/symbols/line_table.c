/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/line_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/symbols/name_pool.h"

/* Damaged files can claim any number of ranges, all over each other. */
#define RANGES_MAX (1u << 24)
#define OVERLAPS_MAX 64

struct code_range {
	uint64_t start, end;
	uint64_t reach; /* the greatest end of this range and all before it */
	Dwarf_Off unit; /* of its DIE */
};

struct line_table {
	Dwarf *dwarf, *shared; /* the latter may be NULL */
	struct code_range *range; /* by start */
	size_t count, room;
	struct name_pool *joined; /* paths that are not as libdw has them */
};

static void add_range(struct line_table *table, uint64_t start, uint64_t end, Dwarf_Off unit)
{
	/* At 0 are functions that the linker threw away. */
	if (!start || end <= start || table->count == RANGES_MAX)
		return;
	if (table->count == table->room) {
		table->room = table->room * 2 + 64;
		table->range = xreallocarray(table->range, table->room, sizeof(*table->range));
	}
	table->range[table->count++] = (struct code_range){ start, end, 0, unit };
}

static void add_unit(struct line_table *table, Dwarf_Die *die)
{
	const Dwarf_Off unit = dwarf_dieoffset(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (table->count < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		add_range(table, start, end, unit);
}

static int compare_ranges(const void *left, const void *right)
{
	const struct code_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1; /* the smaller one is found first */
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void sort_ranges(struct line_table *table)
{
	uint64_t reach = 0;

	if (table->count)
		qsort(table->range, table->count, sizeof(*table->range), compare_ranges);
	for (size_t i = 0; i < table->count; i++) {
		if (table->range[i].end > reach)
			reach = table->range[i].end;
		table->range[i].reach = reach;
	}
}

struct line_table *line_table_new(Elf *elf, Elf *shared)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	struct line_table *table;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	if (!dwarf)
		return NULL;
	table = xcalloc(1, sizeof(*table));
	table->dwarf = dwarf;
	table->shared = shared ? dwarf_begin_elf(shared, DWARF_C_READ, NULL) : NULL;
	if (table->shared)
		dwarf_setalt(dwarf, table->shared);
	table->joined = name_pool_new();
	while (!dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL))
		add_unit(table, &die);
	sort_ranges(table);
	if (!table->count) {
		line_table_free(table);
		return NULL;
	}
	return table;
}

void line_table_free(struct line_table *table)
{
	if (!table)
		return;
	dwarf_end(table->dwarf);
	dwarf_end(table->shared);
	name_pool_free(table->joined);
	free(table->range);
	free(table);
}

/* libdw joins a file with its own directory, which may be relative to the unit's. */
static const char *join_path(struct line_table *table, Dwarf_Die *die, const char *file)
{
	Dwarf_Attribute attribute;
	const char *dir = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));
	const size_t length = dir ? strlen(dir) : 0;
	char *path;

	if (*file == '/' || !length || (!strncmp(file, dir, length) && file[length] == '/'))
		return file;
	path = xasprintf("%s%s%s", dir, dir[length - 1] == '/' ? "" : "/", file);
	file = name_pool_text(table->joined, name_pool_add(table->joined, path));
	free(path);
	return file;
}

static struct source_line find_in_unit(struct line_table *table, Dwarf_Off unit, uint64_t addr)
{
	struct source_line found = { "", 0 };
	Dwarf_Die die;
	Dwarf_Line *line = NULL;
	const char *file;
	int number;

	if (dwarf_offdie(table->dwarf, unit, &die))
		line = dwarf_getsrc_die(&die, addr);
	if (!line)
		return found;
	file = dwarf_linesrc(line, NULL, NULL);
	if (!file || !*file || !strcmp(file, "???")) /* libdw's name for none */
		return found;
	found.file = join_path(table, &die, file);
	if (!dwarf_lineno(line, &number) && number > 0)
		found.line = (uint32_t)number;
	return found;
}

/* How many ranges start at the address or before. */
static size_t count_until(const struct line_table *table, uint64_t addr)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (table->range[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct source_line line_table_find(struct line_table *table, uint64_t addr)
{
	struct source_line found = { "", 0 };
	size_t at = count_until(table, addr);

	for (int tries = 0; at-- > 0 && tries < OVERLAPS_MAX; tries++) {
		const struct code_range *range = &table->range[at];

		if (range->reach <= addr)
			break;
		if (range->end > addr)
			found = find_in_unit(table, range->unit, addr);
		if (*found.file)
			break;
	}
	return found;
}
