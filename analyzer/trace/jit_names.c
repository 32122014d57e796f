/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/jit_names.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

void jit_names_init(struct jit_names *names)
{
	page_table_init(&names->name, sizeof(char *));
}

void jit_names_release(struct jit_names *names)
{
	for (uint32_t i = 0; i < names->name.pages; i++) {
		char **name = (char **)names->name.page[i];

		for (uint32_t k = 0; name && k < PAGE_TABLE_ENTRIES; k++)
			free(name[k]);
	}
	page_table_release(&names->name);
}

void jit_names_add(struct jit_names *names, uint32_t id, const char *text, size_t bytes)
{
	char **name;

	if (id < XT_ID_FIRST || id >= XT_IDS_MAX)
		return;
	name = page_table_make(&names->name, id);
	if (!*name)
		*name = xstrndup(text, bytes);
}

const char *jit_names_find(const struct jit_names *names, uint32_t id)
{
	char **name = page_table_find(&names->name, id);

	return name ? *name : NULL;
}
