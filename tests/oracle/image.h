/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ELF file laid out in memory as the loader would do it, but readable and writable only, not
 * relocated and never run: what cfi_row looks at, without the constructors. Holes between segments
 * stay inaccessible.
 */
#ifndef XALLOC_ORACLE_IMAGE_H
#define XALLOC_ORACLE_IMAGE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#include <gelf.h>

struct image {
	Elf *elf;
	int fd;
	uint64_t bias; /* address in memory minus link-time address */
	uint64_t entry; /* link-time, 0: none */
	struct dl_find_object object; /* map range and .eh_frame_hdr */
	uint64_t header_bytes;
	bool is_mapped; /* by image_open */
};

/* false: no ELF file of x86-64, or it cannot be mapped; a message is printed. Release with
 * image_close. */
bool image_open(struct image *image, const char *path);

/* The module at an address of this process, whose file is path; NULL: the file is the memory itself
 * (vDSO). */
bool image_of_process(struct image *image, const char *path, const void *address, uint64_t bias);

void image_close(struct image *image);

#endif
