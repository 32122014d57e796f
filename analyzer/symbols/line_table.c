/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/line_table.h"

#include <dwarf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/name_pool.h"

struct line_table {
	struct unit_table *units;
	struct name_pool *joined; /* paths that are not as libdw has them */
};

static const struct source_line unknown = { "", 0 };

struct line_table *line_table_new(struct unit_table *units)
{
	struct line_table *table = xcalloc(1, sizeof(*table));

	table->units = units;
	table->joined = name_pool_new();
	return table;
}

void line_table_free(struct line_table *table)
{
	if (!table)
		return;
	name_pool_free(table->joined);
	free(table);
}

/* libdw joins a file with its own directory, which may be relative to the unit's. */
static const char *join_path(struct line_table *table, struct unit *unit, const char *file)
{
	Dwarf_Attribute attribute;
	const char *dir = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute));
	const size_t length = dir ? strlen(dir) : 0;
	char *path;

	if (*file == '/' || !length || (!strncmp(file, dir, length) && file[length] == '/'))
		return file;
	path = xasprintf("%s%s%s", dir, dir[length - 1] == '/' ? "" : "/", file);
	file = name_pool_text(table->joined, name_pool_add(table->joined, path));
	free(path);
	return file;
}

static struct source_line build_line(struct line_table *table, struct unit *unit, const char *file,
				     uint32_t line)
{
	if (!file || !*file || !strcmp(file, "???")) /* libdw's name for none */
		return unknown;
	return (struct source_line){ join_path(table, unit, file), line };
}

static struct source_line find_in_unit(struct line_table *table, struct unit *unit, uint64_t addr)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, addr);
	int number;

	if (!line)
		return unknown;
	if (dwarf_lineno(line, &number) || number < 0)
		number = 0;
	return build_line(table, unit, dwarf_linesrc(line, NULL, NULL), (uint32_t)number);
}

struct source_line line_table_find(struct line_table *table, uint64_t addr)
{
	struct range_search search = unit_table_search(table->units, addr);
	struct source_line found = unknown;
	struct unit *unit;

	while (!*found.file && (unit = unit_table_next(table->units, &search, addr)))
		found = find_in_unit(table, unit, addr);
	return found;
}

struct source_line line_table_call(struct line_table *table, const struct call_site *call)
{
	struct unit *unit = unit_table_get(table->units, call->unit);
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(&unit->tree, &files, &count) || call->file >= count)
		return unknown;
	return build_line(table, unit, dwarf_filesrc(files, call->file, NULL, NULL), call->line);
}
