/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/plt_table.h"

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

struct stub {
	uint64_t start, end;
	uint64_t word; /* what it jumps through */
	char *name;    /* NULL: no relocation named it */
};

struct plt_table {
	struct stub *stub; /* by word while it is built, then by start */
	size_t count, room;
};

/* The word that a stub's `jmp *x(%rip)` reads, an endbr64 or notrack before it; false: none. */
static bool find_word(const uint8_t *code, size_t bytes, uint64_t addr, uint64_t *word)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;
	int32_t distance;

	if (bytes >= sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)))
		at = sizeof(endbr);
	if (at < bytes && (code[at] == 0xf2 || code[at] == 0x3e)) /* bnd, notrack */
		at++;
	if (bytes - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*word = addr + at + 6 + (uint64_t)(int64_t)distance;
	return true;
}

static void read_stubs(struct plt_table *table, Elf_Scn *section, const GElf_Shdr *head)
{
	const size_t step = head->sh_entsize == 8 ? 8 : 16;
	const Elf_Data *data = elf_getdata(section, NULL);

	for (size_t at = 0; data && data->d_buf && at + step <= data->d_size; at += step) {
		const uint64_t start = head->sh_addr + at;
		uint64_t word;

		if (!find_word((const uint8_t *)data->d_buf + at, step, start, &word))
			continue;
		if (table->count == table->room) {
			table->room = table->room * 2 + 64;
			table->stub = xreallocarray(table->stub, table->room, sizeof(*table->stub));
		}
		table->stub[table->count++] = (struct stub){ start, start + step, word, NULL };
	}
}

static int compare_words(const void *left, const void *right)
{
	const struct stub *a = left, *b = right;

	return a->word < b->word ? -1 : a->word > b->word;
}

static int compare_starts(const void *left, const void *right)
{
	const struct stub *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void name_stubs(struct plt_table *table, uint64_t word, const char *name)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (table->stub[middle].word < word)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < table->count && table->stub[low].word == word; low++)
		if (!table->stub[low].name)
			table->stub[low].name = xasprintf("%s@plt", name);
}

static void read_relocations(struct plt_table *table, Elf *elf, Elf_Scn *section,
			     const GElf_Shdr *head)
{
	Elf_Scn *symbols = elf_getscn(elf, head->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *table_data = elf_getdata(symbols, NULL);
	GElf_Shdr symbols_head;
	GElf_Rela relocation;
	GElf_Sym symbol;

	if (!symbols || !gelf_getshdr(symbols, &symbols_head))
		return;
	for (int i = 0; data && gelf_getrela(data, i, &relocation); i++) {
		const uint64_t type = GELF_R_TYPE(relocation.r_info);
		const char *name;

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    !gelf_getsym(table_data, (int)GELF_R_SYM(relocation.r_info), &symbol))
			continue;
		name = elf_strptr(elf, symbols_head.sh_link, symbol.st_name);
		if (name && *name)
			name_stubs(table, relocation.r_offset, name);
	}
}

/* Reads the sections of stubs, or those of relocations. */
static void each_section(struct plt_table *table, Elf *elf, bool is_code)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr head;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &head))
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (!is_code && head.sh_type == SHT_RELA)
			read_relocations(table, elf, section, &head);
		else if (is_code && head.sh_type == SHT_PROGBITS && name &&
			 !strncmp(name, ".plt", strlen(".plt")))
			read_stubs(table, section, &head);
	}
}

struct plt_table *plt_table_new(Elf *elf)
{
	struct plt_table *table;
	GElf_Ehdr head;

	if (!gelf_getehdr(elf, &head) || head.e_machine != EM_X86_64)
		return NULL;
	table = xcalloc(1, sizeof(*table));
	each_section(table, elf, true);
	if (!table->count) {
		plt_table_free(table);
		return NULL;
	}
	qsort(table->stub, table->count, sizeof(*table->stub), compare_words);
	each_section(table, elf, false);
	qsort(table->stub, table->count, sizeof(*table->stub), compare_starts);
	return table;
}

void plt_table_free(struct plt_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		free(table->stub[i].name);
	free(table->stub);
	free(table);
}

const char *plt_table_find(const struct plt_table *table, uint64_t addr)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (table->stub[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->count || table->stub[low].start > addr)
		return NULL;
	return table->stub[low].name;
}
