/* SPDX-License-Identifier: Apache-2.0 */
/* One mapping of /proc/PID/smaps, and what it is, as far as it and its neighbours tell. */
#ifndef XALLOC_RSS_MAPPING_H
#define XALLOC_RSS_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/rss/breakdown.h"

struct mapping {
	uint64_t start, end, offset, inode;
	char access[5]; /* "rw-p" */
	char *name;     /* "" none; the mapping's owner releases it */
	uint64_t field[ROW_FIELD_COUNT];
	bool has_nohuge;     /* VmFlags nh: madvise, or MAP_STACK as of Linux 6.7 */
	enum row_kind kind;  /* by mapping_classify */
	uint64_t image_end;  /* so far a module's mappings and bss go on; 0: it is none's */
	const char *as_name; /* for a row; lives on */
};

/* Sets kind, image_end and as_name. before, next: its neighbours in the address space, classified
 * and not yet; NULL: none. stack_bytes: what pthread_create takes for a stack with its guard. */
void mapping_classify(struct mapping *m, const struct mapping *before, const struct mapping *next,
		      uint64_t stack_bytes);

#endif
