/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/own_allocator.h"

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/symbols/elf_file.h"

/* Of jemalloc (with no prefix of its own, its usual ones), mimalloc, tcmalloc, rpmalloc, TBB. */
static const char *const called[] = {
	"mallocx",   "rallocx",    "xallocx",           "sdallocx",
	"dallocx",   "je_malloc",  "mi_malloc",         "mi_zalloc",
	"mi_calloc", "mi_realloc", "mi_malloc_aligned", "mi_heap_malloc",
	"mi_new",    "mi_free",    "tc_malloc",         "tc_new",
	"tc_free",   "rpmalloc",   "scalable_malloc",
};

/* What such an allocator is called in a program that it is linked into; Go's heap. */
static const char *const linked[] = {
	"je_malloc", "_rjem_malloc", "_rjem_mallocx",   "mi_malloc",
	"tc_malloc", "rpmalloc",     "scalable_malloc", "runtime.mallocgc",
};

#define FIND(list, name) find(list, sizeof(list) / sizeof(*(list)), name)

static const char *find(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return list[i];
	return NULL;
}

struct found {
	bool exports_malloc, has_local_malloc;
	const char *linked, *called;
};

static void look_at(struct found *found, const GElf_Sym *symbol, const char *name, bool is_dynamic)
{
	if (symbol->st_shndx == SHN_UNDEF) {
		if (is_dynamic && !found->called)
			found->called = FIND(called, name);
		return;
	}
	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC)
		return;
	if (!strcmp(name, "malloc")) {
		found->exports_malloc |= is_dynamic;
		found->has_local_malloc |= !is_dynamic;
	} else if (!found->linked) {
		found->linked = FIND(linked, name);
	}
}

static void look(struct found *found, Elf *elf)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr head;
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &head) ||
		    (head.sh_type != SHT_SYMTAB && head.sh_type != SHT_DYNSYM) ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, head.sh_link, symbol.st_name);

			if (name)
				look_at(found, &symbol, name, head.sh_type == SHT_DYNSYM);
		}
	}
}

struct own_allocator own_allocator_find(const char *sysroot, const char *path,
					const struct module *module)
{
	struct own_allocator result = { NULL, NULL };
	struct found found = { 0 };
	struct elf_file file;
	char *why = NULL;

	if (elf_file_open(&file, sysroot, path, &why) < 0) {
		free(why);
		return result;
	}
	if (!module || elf_file_check(&file, module, &why) == 0)
		look(&found, file.elf);
	free(why);
	elf_file_close(&file);
	result.called = found.called;
	/* An exported malloc is before the recorder's, which knows of it and says so itself. */
	if (!found.exports_malloc)
		result.local = found.has_local_malloc ? "malloc" : found.linked;
	return result;
}
