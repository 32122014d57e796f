/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ELF file on disk, and whether it is the one that a trace speaks of.
 */
#ifndef XALLOC_SYMBOLS_ELF_FILE_H
#define XALLOC_SYMBOLS_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "analyzer/trace/module_map.h"

struct elf_file {
	int fd; /* -1: not open; the rest is not to be looked at then */
	Elf *elf;
	char *path; /* as it was opened, behind the sysroot */
	struct stat status;
};

/*
 * Opens a regular file that is ELF. sysroot: the path, and links in it, are looked up in that
 * directory and never lead out of it; NULL: as usual. Returns 0, or -1 with *why in words ("No such
 * file or directory"), owned by the caller; the file is not open then.
 */
int elf_file_open(struct elf_file *file, const char *sysroot, const char *path, char **why);
/* Opens a copy of the vDSO of this kernel, which has no file; else as above. */
int elf_file_open_vdso(struct elf_file *file, char **why);
void elf_file_close(struct elf_file *file); /* fine when it is not open */

/*
 * Whether the file is the module's: by build ID when the trace has one. When it has none, the file
 * must have none either, and its entry point and segments of code must be the recorded ones.
 * Returns 0, or -1 with *why as above.
 */
int elf_file_check(const struct elf_file *file, const struct module *module, char **why);

/* Whether it has a build ID, and that one; -1 with *why as above. */
int elf_file_check_id(const struct elf_file *file, const uint8_t *id, size_t bytes, char **why);

/* Whether sections, or the list of them, lie behind the end of the file. */
bool elf_file_is_cut(const struct elf_file *file);

/* The CRC-32 of the file's bytes, as .gnu_debuglink has it. False: it cannot be read. */
bool elf_file_crc(const struct elf_file *file, uint32_t *crc);

/* The contents of a section of that name, *bytes of them, which live as long as the file; NULL: it
 * has none. */
const char *elf_file_section(const struct elf_file *file, const char *name, size_t *bytes);

#endif
