/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u

static bool fail(struct image *image, const char *path, const char *what)
{
	fprintf(stderr, "%s: %s\n", path, what);
	image_close(image);
	return false;
}

static bool open_elf(struct image *image, const char *path)
{
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	image->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (image->fd < 0)
		return fail(image, path, "cannot be opened");
	image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
	    !gelf_getehdr(image->elf, &header) || header.e_machine != EM_X86_64)
		return fail(image, path, "is no ELF file of x86-64");
	image->entry = header.e_entry;
	return true;
}

/* The range of the PT_LOAD segments, in whole pages, and .eh_frame_hdr, all at link-time addresses.
 * */
static bool get_layout(Elf *elf, uint64_t *start, uint64_t *end, GElf_Phdr *header)
{
	size_t count = 0, i;
	GElf_Phdr phdr;

	*start = UINT64_MAX;
	*end = 0;
	memset(header, 0, sizeof(*header));
	elf_getphdrnum(elf, &count);
	for (i = 0; i < count && gelf_getphdr(elf, (int)i, &phdr); i++) {
		if (phdr.p_type == PT_GNU_EH_FRAME)
			*header = phdr;
		if (phdr.p_type != PT_LOAD)
			continue;
		if (phdr.p_vaddr < *start)
			*start = phdr.p_vaddr & ~(uint64_t)(PAGE - 1);
		if (phdr.p_vaddr + phdr.p_memsz > *end)
			*end = (phdr.p_vaddr + phdr.p_memsz + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	}
	return *start < *end;
}

bool image_open(struct image *image, const char *path)
{
	uint64_t start, end;
	GElf_Phdr phdr, header;
	size_t count = 0, i;
	char *memory;

	memset(image, 0, sizeof(*image));
	image->fd = -1;
	if (!open_elf(image, path))
		return false;
	if (!get_layout(image->elf, &start, &end, &header))
		return fail(image, path, "has nothing to load");
	/* at its own place if that is fixed and free, for the sake of absolute pointers; else it is
	 * a hint */
	memory = mmap((void *)(uintptr_t)start, end - start, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return fail(image, path, "does not fit into memory");
	image->is_mapped = true;
	image->bias = (uint64_t)(uintptr_t)memory - start;
	image->object.dlfo_map_start = memory;
	image->object.dlfo_map_end = memory + (end - start);
	if (header.p_type == PT_GNU_EH_FRAME) {
		image->object.dlfo_eh_frame = memory + (header.p_vaddr - start);
		image->header_bytes = header.p_memsz;
	}
	elf_getphdrnum(image->elf, &count);
	for (i = 0; i < count && gelf_getphdr(image->elf, (int)i, &phdr); i++) {
		const uint64_t lead = phdr.p_vaddr % PAGE;

		if (phdr.p_type != PT_LOAD || !phdr.p_filesz)
			continue;
		if (mmap(memory + (phdr.p_vaddr - lead - start), phdr.p_filesz + lead,
			 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, image->fd,
			 (off_t)(phdr.p_offset - lead)) == MAP_FAILED)
			return fail(image, path, "has a segment that cannot be mapped");
	}
	return true;
}

bool image_of_process(struct image *image, const char *path, const void *address, uint64_t bias)
{
	const char *const name = path ? path : "vDSO";
	struct dl_find_object object;
	uint64_t start, end;
	GElf_Phdr header;
	GElf_Ehdr ehdr;

	memset(image, 0, sizeof(*image));
	image->fd = -1;
	if (_dl_find_object((void *)(uintptr_t)address, &object))
		return fail(image, name, "is not known to _dl_find_object");
	if (path && !open_elf(image, path))
		return false;
	if (!path) {
		elf_version(EV_CURRENT);
		image->elf =
			elf_memory(object.dlfo_map_start, (size_t)((char *)object.dlfo_map_end -
								   (char *)object.dlfo_map_start));
		if (!image->elf || !gelf_getehdr(image->elf, &ehdr))
			return fail(image, name, "is no ELF file");
		image->entry = ehdr.e_entry;
	}
	if (!get_layout(image->elf, &start, &end, &header))
		return fail(image, name, "has nothing to load");
	image->bias = bias;
	image->object = object;
	image->header_bytes = header.p_memsz;
	return true;
}

void image_close(struct image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->is_mapped)
		munmap(image->object.dlfo_map_start,
		       (size_t)((char *)image->object.dlfo_map_end -
				(char *)image->object.dlfo_map_start));
	if (image->fd >= 0)
		close(image->fd);
	memset(image, 0, sizeof(*image));
	image->fd = -1;
}
