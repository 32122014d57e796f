/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/file_pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#define LINE_BYTES 8192

struct mapping {
	uintptr_t start, end;
	unsigned long offset, inode;
	unsigned major, minor;
	char rights[5];
};

/* The loader's own mappings of a library are parts of it. */
static bool is_whole(const struct mapping *mapping, const struct stat *file)
{
	const uintptr_t bytes = ((uintptr_t)file->st_size + 4095) & ~(uintptr_t)4095;

	return mapping->inode == file->st_ino && !mapping->offset &&
	       makedev(mapping->major, mapping->minor) == file->st_dev &&
	       !strcmp(mapping->rights, "r--p") && mapping->end - mapping->start == bytes;
}

void file_pages_give(const struct stat *file)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[LINE_BYTES];
	struct mapping mapping;

	if (!maps)
		return;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu", &mapping.start, &mapping.end,
			   mapping.rights, &mapping.offset, &mapping.major, &mapping.minor,
			   &mapping.inode) == 7 &&
		    is_whole(&mapping, file))
			madvise((void *)mapping.start, mapping.end - mapping.start, MADV_DONTNEED);
	}
	fclose(maps);
}
