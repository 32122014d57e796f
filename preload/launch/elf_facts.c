/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/elf_facts.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define PARTS_AT_ONCE 16u
#define PAGE_BYTES 4096ul
#define NOTES_BYTES_MAX 1024

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Of what is loaded. */
struct extent {
	uint64_t start, end;
};

static void extent_add(struct extent *extent, const Elf64_Phdr *part)
{
	const uint64_t start = part->p_vaddr & ~(PAGE_BYTES - 1);

	if (start < extent->start)
		extent->start = start;
	if (part->p_vaddr + part->p_memsz > extent->end)
		extent->end = part->p_vaddr + part->p_memsz;
}

/* The build ID, if it is among these notes. */
static void read_notes(struct elf_facts *facts, int fd, const Elf64_Phdr *part)
{
	static const char hex[] = "0123456789abcdef";
	_Alignas(8) uint8_t bytes[NOTES_BYTES_MAX];
	const uint64_t size = part->p_filesz < sizeof(bytes) ? part->p_filesz : sizeof(bytes);

	if (facts->build_id[0] || !read_at(fd, bytes, size, part->p_offset))
		return;
	for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)(const void *)(bytes + at);
		const uint64_t name = at + sizeof(*note),
			       id = name + ((note->n_namesz + 3ul) & ~3ul);

		at = id + ((note->n_descsz + 3ul) & ~3ul);
		if (at > size)
			return;
		if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != sizeof("GNU") ||
		    memcmp(bytes + name, "GNU", sizeof("GNU")) != 0 ||
		    note->n_descsz > BUILD_ID_BYTES_MAX)
			continue;
		for (unsigned i = 0; i < note->n_descsz; i++) {
			facts->build_id[2 * i] = hex[bytes[id + i] >> 4];
			facts->build_id[2 * i + 1] = hex[bytes[id + i] & 15];
		}
		return;
	}
}

int elf_facts_read(struct elf_facts *facts, int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr some[PARTS_AT_ONCE];
	struct extent extent = { UINT64_MAX, 0 };

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
		if (part->p_type == PT_LOAD)
			extent_add(&extent, part);
		if (part->p_type == PT_NOTE && part->p_align <= 4)
			read_notes(facts, fd, part);
		if (part->p_type != PT_INTERP)
			continue;
		if (part->p_filesz < 2 || part->p_filesz > sizeof(facts->loader) ||
		    !read_at(fd, facts->loader, part->p_filesz, part->p_offset) ||
		    facts->loader[part->p_filesz - 1])
			return -1;
	}
	if (extent.end > extent.start)
		facts->image_bytes = extent.end - extent.start;
	return 0;
}
