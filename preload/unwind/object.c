/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/object.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

static const Elf64_Ehdr *header_at(uint64_t addr)
{
	const unsigned char *at = (const unsigned char *)(uintptr_t)addr;

	return at[0] == ELFMAG0 && at[1] == ELFMAG1 && at[2] == ELFMAG2 && at[3] == ELFMAG3
		       ? (const Elf64_Ehdr *)(const void *)at
		       : NULL;
}

/* The executable's is where the kernel says, in the page of its program headers; a library's is at
 * its bias. */
static const Elf64_Ehdr *find_header(const struct dl_find_object *object)
{
	const struct link_map *map = object->dlfo_link_map;
	struct dl_find_object at_bias;

	if (!map->l_name || !*map->l_name)
		return header_at(getauxval(AT_PHDR) & ~4095ul);
	if (_dl_find_object((void *)map->l_addr, &at_bias) != 0 || at_bias.dlfo_link_map != map)
		return NULL;
	return header_at(map->l_addr);
}

void object_widen(struct dl_find_object *object)
{
	const Elf64_Ehdr *header;
	const Elf64_Phdr *phdr;
	uint64_t end = 0, bias = object->dlfo_link_map->l_addr;
	unsigned i;

	if (header_at((uint64_t)(uintptr_t)object->dlfo_map_start))
		return;
	header = find_header(object);
	if (!header || header->e_phentsize != sizeof(*phdr) ||
	    header->e_phoff + header->e_phnum * sizeof(*phdr) > 4096)
		return;
	phdr = (const Elf64_Phdr *)(const void *)((const char *)header + header->e_phoff);
	for (i = 0; i < header->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && bias + phdr[i].p_vaddr + phdr[i].p_memsz > end)
			end = bias + phdr[i].p_vaddr + phdr[i].p_memsz;
	if (end < (uint64_t)(uintptr_t)object->dlfo_map_end)
		return;
	object->dlfo_map_start = (void *)(uintptr_t)header;
	object->dlfo_map_end = (void *)(uintptr_t)end;
}
