/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/elf_facts.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define PARTS_AT_ONCE 16u

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

int elf_facts_read(struct elf_facts *facts, int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr some[PARTS_AT_ONCE];

	memset(facts, 0, sizeof(*facts));
	/* a 32-bit file may be shorter than our header: its first 20 bytes are the same */
	memset(&head, 0, sizeof(head));
	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return -1;
	facts->class = head.e_ident[EI_CLASS];
	facts->data = head.e_ident[EI_DATA];
	facts->machine = head.e_machine;
	if (facts->data == ELFDATA2MSB)
		facts->machine = __builtin_bswap16(head.e_machine);
	if (facts->class != ELFCLASS64 || facts->data != ELFDATA2LSB)
		return 0;
	if (head.e_phentsize != sizeof(*some))
		return -1;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		const unsigned rest = head.e_phnum - i,
			       count = rest < PARTS_AT_ONCE ? rest : PARTS_AT_ONCE;
		const Elf64_Phdr *part = &some[i % PARTS_AT_ONCE];

		if (i % PARTS_AT_ONCE == 0 &&
		    !read_at(fd, some, count * sizeof(*some), head.e_phoff + i * sizeof(*some)))
			return -1;
		if (part->p_type == PT_DYNAMIC)
			facts->is_dynamic = true;
		if (part->p_type != PT_INTERP)
			continue;
		if (part->p_filesz < 2 || part->p_filesz > sizeof(facts->loader) ||
		    !read_at(fd, facts->loader, part->p_filesz, part->p_offset) ||
		    facts->loader[part->p_filesz - 1])
			return -1;
	}
	return 0;
}
