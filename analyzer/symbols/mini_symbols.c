/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/mini_symbols.h"

#include <gelf.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define LZMA_MEMORY (64u << 20)
#define FIRST_BYTES (256u << 10)

static const Elf_Data *find_section(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr head;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &head) || head.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (name && !strcmp(name, ".gnu_debugdata"))
			return elf_getdata(section, NULL);
	}
	return NULL;
}

/* NULL: damaged, or more than MINI_SYMBOLS_MAX. */
static uint8_t *unpack(const Elf_Data *packed, size_t *bytes)
{
	uint64_t memory = LZMA_MEMORY;
	size_t room = FIRST_BYTES;
	uint8_t *image = NULL;
	lzma_ret ret;

	do { /* all at once, into as much as it takes */
		size_t from = 0;

		image = xrealloc(image, room);
		*bytes = 0;
		ret = lzma_stream_buffer_decode(&memory, 0, NULL, packed->d_buf, &from,
						packed->d_size, image, bytes, room);
		room *= 4;
	} while (ret == LZMA_BUF_ERROR && room <= MINI_SYMBOLS_MAX);
	if (ret == LZMA_OK)
		return image;
	free(image);
	return NULL;
}

void mini_symbols_open(struct mini_symbols *mini, Elf *elf)
{
	const Elf_Data *packed = find_section(elf);
	size_t bytes;

	*mini = (struct mini_symbols){ .elf = NULL };
	if (!packed || !packed->d_buf)
		return;
	mini->image = unpack(packed, &bytes);
	if (mini->image)
		mini->elf = elf_memory(mini->image, bytes);
}

void mini_symbols_close(struct mini_symbols *mini)
{
	elf_end(mini->elf);
	free(mini->image);
	*mini = (struct mini_symbols){ .elf = NULL };
}
