/* SPDX-License-Identifier: Apache-2.0 */
/* The files that processes have mapped: each path once, and of ELF files who they are. */
#ifndef XALLOC_RSS_MAPPED_H
#define XALLOC_RSS_MAPPED_H

#include <stddef.h>
#include <stdint.h>

struct mapped_file {
	char *path;    /* as /proc/PID/maps has it */
	uint64_t base; /* where its first mapping was, in the process that had it first */
	/* Of an ELF file that is still the one that is mapped: */
	char *build_id;       /* in hex; "": none, or the file is none, or another one by now */
	uint64_t image_bytes; /* from the first mapping to the end of its bss; 0: not known */
};

/* The one of that path and inode; it is made, and the file looked at, when it is new. `start` is
 * where the mapping is, `offset` the part of the file. NULL: there are 1,000 already. */
const struct mapped_file *mapped_find(const char *path, uint64_t inode, uint64_t start,
				      uint64_t offset);

/* All of them, in the order in which they were seen. */
size_t mapped_count(void);
const struct mapped_file *mapped_get(size_t i);

/* A name that lives on, for rows: the same text is the same pointer. NULL: there are too many. */
const char *mapped_name(const char *name);

#endif
