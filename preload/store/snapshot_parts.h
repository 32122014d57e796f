/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a residency snapshot (struct xt_snapshot): which pages of a process are there, and
 * the list of its mappings, from open files of /proc into records. In the process itself, and in
 * its helper. Allocates nothing.
 */
#ifndef XALLOC_STORE_SNAPSHOT_PARTS_H
#define XALLOC_STORE_SNAPSHOT_PARTS_H

#include <stdint.h>

#include "preload/store/records.h"
#include "preload/trace/format.h"

/* The interface of the kernel since Linux 6.7: linux/fs.h. */
struct scan_region {
	uint64_t start, end, kinds;
};

/* 40 KB: not for a stack of the program's. */
struct snapshot_parts {
	struct xt_snapshot head; /* number is the caller's; how, maps and pages are set here */
	/* Where the records go. 0, or negative: there is no room. */
	int (*add)(void *owner, enum xt_record_type type, const struct records_piece *piece,
		   unsigned pieces);
	void *owner;
	/* So many resident pages at most while the kernel keeps the process from changing its
	 * mappings; 0: no limit. */
	uint64_t at_once;
	uint64_t inode; /* of a shared mapping that has to be there, or 0 */
	int has_inode;  /* it was */
	/* its own */
	struct xt_pages pages[1024];
	uint32_t count; /* of pages */
	union {
		struct scan_region region[512];
		uint64_t entry[1024];
	};
	char text[8192];
};

/*
 * Pages first: what is mapped meanwhile is then in no page. pagemap or maps may be a negative errno
 * in place of a descriptor, which is returned; the mappings are read without pages, too. 0, or a
 * negative errno: -ENOSPC is add's.
 */
long snapshot_parts_read(struct snapshot_parts *s, long pagemap, long maps);

#endif
