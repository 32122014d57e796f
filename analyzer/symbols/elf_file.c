/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "preload/trace/format.h"

/* A path of the trace may by now be a FIFO or a device: never wait for one. */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK)

static int open_below(const char *sysroot, const char *path)
{
	struct open_how how = { .flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT };
	const int root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd, error;

	if (root < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	error = errno;
	close(root);
	errno = error;
	return fd;
}

int elf_file_open(struct elf_file *file, const char *sysroot, const char *path, char **why)
{
	file->fd = sysroot ? open_below(sysroot, path) : open(path, OPEN_FLAGS);
	if (file->fd < 0) {
		*why = xstrdup(strerror(errno));
		return -1;
	}
	elf_version(EV_CURRENT);
	file->elf = NULL;
	file->path =
		sysroot ? xasprintf("%s/%s", sysroot, path + strspn(path, "/")) : xstrdup(path);
	if (!fstat(file->fd, &file->status) && S_ISREG(file->status.st_mode))
		file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF) {
		elf_file_close(file);
		*why = xstrdup("not an ELF file");
		return -1;
	}
	return 0;
}

/* The vDSO's size is that of its section headers, which come last; 0: none is mapped. */
static size_t find_vdso(const void **image)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);

	*image = head;
	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG))
		return 0;
	return head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
}

int elf_file_open_vdso(struct elf_file *file, char **why)
{
	const void *image;
	const size_t bytes = find_vdso(&image);

	*file = (struct elf_file){ .fd = memfd_create("vdso", MFD_CLOEXEC) };
	if (file->fd >= 0 && bytes && write(file->fd, image, bytes) == (ssize_t)bytes) {
		elf_version(EV_CURRENT);
		file->path = xstrdup("[vdso]");
		if (!fstat(file->fd, &file->status))
			file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	}
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF)
		return 0;
	elf_file_close(file);
	*why = xstrdup("there is no vDSO here");
	return -1;
}

void elf_file_close(struct elf_file *file)
{
	if (file->fd < 0)
		return;
	elf_end(file->elf);
	close(file->fd);
	free(file->path);
	*file = (struct elf_file){ .fd = -1 };
}

static bool has_segment(Elf *elf, size_t headers, const struct xt_segment *wanted)
{
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr head;

		if (gelf_getphdr(elf, (int)i, &head) && head.p_type == PT_LOAD &&
		    head.p_vaddr == wanted->vaddr && head.p_memsz == wanted->memory_bytes &&
		    head.p_offset == wanted->file_offset)
			return true;
	}
	return false;
}

static bool has_same_layout(Elf *elf, const struct module *module)
{
	size_t headers;
	GElf_Ehdr head;

	if (!gelf_getehdr(elf, &head) || head.e_entry != module->entry ||
	    elf_getphdrnum(elf, &headers))
		return false;
	for (size_t i = 0; i < module->segments; i++)
		if (module->segment[i].flags & PF_X &&
		    !has_segment(elf, headers, &module->segment[i]))
			return false;
	return true;
}

int elf_file_check_id(const struct elf_file *file, const uint8_t *id, size_t bytes, char **why)
{
	const void *own;
	const ssize_t own_bytes = dwelf_elf_gnu_build_id(file->elf, &own);
	char *found, *traced;

	if (own_bytes <= 0) {
		*why = xstrdup("the file has no build ID, the recorded one had");
		return -1;
	}
	if ((size_t)own_bytes == bytes && !memcmp(own, id, bytes))
		return 0;
	found = text_hex(own, (size_t)own_bytes);
	traced = text_hex(id, bytes);
	*why = xasprintf("the file's build ID is %s, the recorded one was %s", found, traced);
	free(found);
	free(traced);
	return -1;
}

int elf_file_check(const struct elf_file *file, const struct module *module, char **why)
{
	const void *id;

	if (module->build_id_bytes)
		return elf_file_check_id(file, module->build_id, module->build_id_bytes, why);
	if (dwelf_elf_gnu_build_id(file->elf, &id) <= 0 && has_same_layout(file->elf, module))
		return 0;
	*why = xstrdup("the file has changed since the recording");
	return -1;
}

bool elf_file_is_cut(const struct elf_file *file)
{
	const uint64_t size = (uint64_t)file->status.st_size;
	Elf_Scn *section = NULL;
	GElf_Ehdr head;
	GElf_Shdr one;

	if (!gelf_getehdr(file->elf, &head))
		return true;
	if (head.e_shoff > size || (uint64_t)head.e_shnum * head.e_shentsize > size - head.e_shoff)
		return true;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &one) && one.sh_type != SHT_NOBITS &&
		    (one.sh_offset > size || one.sh_size > size - one.sh_offset))
			return true;
	return false;
}

/* The polynomial of zip and Ethernet, bit by bit for each of the 256 bytes. */
static void make_crc_table(uint32_t table[256])
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
		table[byte] = crc;
	}
}

bool elf_file_crc(const struct elf_file *file, uint32_t *crc)
{
	uint32_t table[256], value = UINT32_MAX;
	unsigned char buffer[65536];
	off_t at = 0;
	ssize_t got;

	make_crc_table(table);
	while ((got = pread(file->fd, buffer, sizeof(buffer), at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			value = value >> 8 ^ table[(value ^ buffer[i]) & 0xFF];
		at += got;
	}
	*crc = ~value;
	return !got;
}

const char *elf_file_section(const struct elf_file *file, const char *name, size_t *bytes)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names))
		return NULL;
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr head;
		Elf_Data *data;
		const char *own;

		if (!gelf_getshdr(section, &head) || head.sh_type == SHT_NOBITS)
			continue;
		own = elf_strptr(file->elf, names, head.sh_name);
		if (!own || strcmp(own, name))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || !data->d_size)
			return NULL;
		*bytes = data->d_size;
		return data->d_buf;
	}
	return NULL;
}
