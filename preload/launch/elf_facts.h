/* SPDX-License-Identifier: Apache-2.0 */
/* The little of an ELF file that decides whether a library can be preloaded into it, and that names
 * it. */
#ifndef XALLOC_LAUNCH_ELF_FACTS_H
#define XALLOC_LAUNCH_ELF_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define BUILD_ID_BYTES_MAX 64

struct elf_facts {
	uint8_t class; /* EI_CLASS */
	uint8_t data;  /* EI_DATA */
	uint16_t machine;
	bool is_dynamic;       /* it has a dynamic section */
	char loader[PATH_MAX]; /* PT_INTERP; "": none, the program is statically linked */
	uint64_t image_bytes;  /* from the first loaded page to the end of its bss; 0: nothing is */
	char build_id[2 * BUILD_ID_BYTES_MAX + 1]; /* in hex; "": none */
};

/* 0; -1: the file is no ELF file, or one whose program headers cannot be read. For a class or byte
 * order that is not ours only the first three are set. */
int elf_facts_read(struct elf_facts *facts, int fd);

#endif
