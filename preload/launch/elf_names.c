/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/elf_names.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct file {
	const uint8_t *bytes;
	uint64_t size;
};

static bool has(const struct file *f, uint64_t offset, uint64_t bytes)
{
	return offset <= f->size && bytes <= f->size - offset;
}

/* The section that holds the strings of s, or NULL. */
static const Elf64_Shdr *strings_of(const struct file *f, const Elf64_Shdr *all, unsigned count,
				    const Elf64_Shdr *s)
{
	const Elf64_Shdr *strings = s->sh_link < count ? &all[s->sh_link] : NULL;

	return strings && strings->sh_size && has(f, strings->sh_offset, strings->sh_size) &&
			       !f->bytes[strings->sh_offset + strings->sh_size - 1]
		       ? strings
		       : NULL;
}

static const char *string_at(const struct file *f, const Elf64_Shdr *strings, uint64_t at)
{
	return at < strings->sh_size ? (const char *)f->bytes + strings->sh_offset + at : "";
}

static void look_at_symbols(const struct file *f, const Elf64_Shdr *s, const Elf64_Shdr *strings,
			    struct elf_names *names)
{
	const Elf64_Sym *symbol = (const Elf64_Sym *)(const void *)(f->bytes + s->sh_offset);

	for (uint64_t i = 0; i < s->sh_size / sizeof(*symbol); i++) {
		const char *name = string_at(f, strings, symbol[i].st_name);

		if (symbol[i].st_shndx == SHN_UNDEF) {
			names->uses_ptrace |= strcmp(name, "ptrace") == 0;
			continue;
		}
		names->checks_leaks |= strcmp(name, "__lsan_do_leak_check") == 0;
		names->defines_malloc |= strcmp(name, "malloc") == 0;
	}
}

static void look_at_needed(const struct file *f, const Elf64_Shdr *s, const Elf64_Shdr *strings,
			   struct elf_names *names)
{
	const Elf64_Dyn *d = (const Elf64_Dyn *)(const void *)(f->bytes + s->sh_offset);

	for (uint64_t i = 0; i < s->sh_size / sizeof(*d); i++) {
		const char *name = string_at(f, strings, d[i].d_un.d_val);

		names->needs_asan |=
			d[i].d_tag == DT_NEEDED && (strncmp(name, "libasan.so", 10) == 0 ||
						    strncmp(name, "libclang_rt.asan", 16) == 0);
		names->checks_leaks |=
			d[i].d_tag == DT_NEEDED && (strncmp(name, "libasan.so", 10) == 0 ||
						    strncmp(name, "liblsan.so", 10) == 0 ||
						    strncmp(name, "libclang_rt.asan", 16) == 0);
	}
}

static void look(const struct file *f, struct elf_names *names)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)f->bytes;
	const Elf64_Shdr *all;

	if (!has(f, 0, sizeof(*head)) || head->e_shentsize != sizeof(*all) || head->e_shoff & 7 ||
	    !has(f, head->e_shoff, head->e_shnum * sizeof(*all)))
		return;
	all = (const Elf64_Shdr *)(const void *)(f->bytes + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++) {
		const Elf64_Shdr *strings;

		if ((all[i].sh_type != SHT_DYNSYM && all[i].sh_type != SHT_DYNAMIC) ||
		    all[i].sh_offset & 7 || !has(f, all[i].sh_offset, all[i].sh_size))
			continue;
		strings = strings_of(f, all, head->e_shnum, &all[i]);
		if (strings && all[i].sh_type == SHT_DYNSYM)
			look_at_symbols(f, &all[i], strings, names);
		else if (strings)
			look_at_needed(f, &all[i], strings, names);
	}
}

struct elf_names elf_names_read(int fd)
{
	struct elf_names names = { 0 };
	struct stat st;
	void *bytes;

	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return names;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return names;
	look(&(struct file){ bytes, (uint64_t)st.st_size }, &names);
	munmap(bytes, (size_t)st.st_size);
	return names;
}
