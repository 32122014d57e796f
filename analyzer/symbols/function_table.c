/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/function_table.h"

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

struct function {
	uint64_t start, end; /* while reading, end is start for a symbol without size */
	uint64_t limit; /* end of the section */
	uint64_t reach; /* greatest end of this and all entries before it */
	const char *name;
	unsigned bind_rank; /* less is better */
};

struct function_list {
	struct function *at;
	size_t count, room;
};

struct function_table {
	struct function_list functions, labels;
};

static unsigned rank_bind(unsigned bind)
{
	switch (bind) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

/* Sorts the better name of equal starts last, so that a walk back from an address meets it first.
 */
static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	size_t a_bars = strspn(a->name, "_"), b_bars = strspn(b->name, "_");
	size_t a_length, b_length;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a_bars != b_bars)
		return a_bars < b_bars ? 1 : -1;
	if (a->bind_rank != b->bind_rank)
		return a->bind_rank < b->bind_rank ? 1 : -1;
	a_length = strcspn(a->name, "@"); /* the version is not shown */
	b_length = strcspn(b->name, "@");
	if (a_length != b_length)
		return a_length < b_length ? 1 : -1;
	return strcmp(b->name, a->name);
}

static void add(struct function_list *list, const struct function *f)
{
	if (list->count == list->room) {
		list->room = list->room ? list->room * 2 : 256;
		list->at = xreallocarray(list->at, list->room, sizeof(*list->at));
	}
	list->at[list->count++] = *f;
}

/* Index of the first entry that starts behind addr. */
static size_t find_behind(const struct function_list *list, uint64_t addr)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->at[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t start_behind(const struct function_list *list, uint64_t addr)
{
	const size_t i = find_behind(list, addr);

	return i < list->count ? list->at[i].start : UINT64_MAX;
}

static void close_unsized(struct function_table *table, struct function_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct function *f = &list->at[i];

		if (f->end == f->start) {
			const uint64_t next = start_behind(&table->functions, f->start);
			const uint64_t label = start_behind(&table->labels, f->start);

			f->end = f->limit;
			if (next < f->end)
				f->end = next;
			if (list == &table->labels && label < f->end)
				f->end = label;
		}
		f->reach = i && f[-1].reach > f->end ? f[-1].reach : f->end;
	}
}

static void read_symbol(struct function_table *table, Elf *elf, const GElf_Sym *sym, size_t strings)
{
	const unsigned type = GELF_ST_TYPE(sym->st_info);
	const bool is_label = type == STT_NOTYPE;
	struct function f = { .start = sym->st_value,
			      .bind_rank = rank_bind(GELF_ST_BIND(sym->st_info)) };
	Elf_Scn *section;
	GElf_Shdr head;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && !is_label)
		return;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return;
	section = elf_getscn(elf, sym->st_shndx);
	if (!section || !gelf_getshdr(section, &head))
		return;
	if (is_label && !(head.sh_flags & SHF_EXECINSTR))
		return;
	f.limit = head.sh_addr + head.sh_size;
	if (f.start < head.sh_addr || f.start >= f.limit)
		return;
	f.end = sym->st_size > f.limit - f.start ? f.limit : f.start + sym->st_size;
	f.name = elf_strptr(elf, strings, sym->st_name);
	if (!f.name || !*f.name)
		return;
	add(is_label ? &table->labels : &table->functions, &f);
}

static void sort_list(struct function_list *list)
{
	if (list->count)
		qsort(list->at, list->count, sizeof(*list->at), compare_functions);
}

struct function_table *function_table_new(Elf *elf, uint32_t section_type)
{
	struct function_table *table = xcalloc(1, sizeof(*table));
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(section, &head) || head.sh_type != section_type)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 1; data && gelf_getsym(data, i, &sym); i++)
			read_symbol(table, elf, &sym, head.sh_link);
	}
	if (!table->functions.count && !table->labels.count) {
		function_table_free(table);
		return NULL;
	}
	sort_list(&table->functions);
	sort_list(&table->labels);
	close_unsized(table, &table->functions);
	close_unsized(table, &table->labels);
	return table;
}

void function_table_free(struct function_table *table)
{
	if (!table)
		return;
	free(table->functions.at);
	free(table->labels.at);
	free(table);
}

static const char *find_in(const struct function_list *list, uint64_t addr)
{
	/* Functions may lie inside others: the one that starts closest is meant, and `reach` ends
	 * the search. */
	for (size_t i = find_behind(list, addr); i-- > 0 && list->at[i].reach > addr;)
		if (addr < list->at[i].end)
			return list->at[i].name;
	return NULL;
}

const char *function_table_find(const struct function_table *table, uint64_t addr)
{
	const char *name = find_in(&table->functions, addr);

	return name ? name : find_in(&table->labels, addr);
}
