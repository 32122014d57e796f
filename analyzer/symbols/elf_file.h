/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ELF file on disk, and whether it is the one that a trace speaks of.
 */
#ifndef XALLOC_SYMBOLS_ELF_FILE_H
#define XALLOC_SYMBOLS_ELF_FILE_H

#include <libelf.h>

#include "analyzer/trace/module_map.h"

struct elf_file {
	int fd; /* -1: not open */
	Elf *elf;
};

/* Opens a regular file that is ELF. Returns 0, or -1 with *why in words ("No such file or
 * directory"), owned by the caller; *file is then to be left alone. */
int elf_file_open(struct elf_file *file, const char *path, char **why);
void elf_file_close(struct elf_file *file);

/*
 * Whether the file is the module's: by build ID when the trace has one. When it has none, the file
 * must have none either, and its entry point and segments of code must be the recorded ones.
 * Returns 0, or -1 with *why as above.
 */
int elf_file_check(const struct elf_file *file, const struct module *module, char **why);

/* The module's separate debug file, build ID agreeing, from debug_dir (may be NULL) or the system's
 * place. Returns 0, or -1 when there is none. */
int elf_file_open_debug(struct elf_file *file, const struct module *module, const char *debug_dir);

#endif
