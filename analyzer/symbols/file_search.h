/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where files of the recorded process are looked for. */
#ifndef XALLOC_SYMBOLS_FILE_SEARCH_H
#define XALLOC_SYMBOLS_FILE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* All zeros: the files that the trace names, and the system's place for debug files. */
struct file_search {
	const char *const *debug_dir; /* searched in this order, before the system's place */
	size_t debug_dirs;
	/* The directory in which paths of the trace and the system's place are looked up, links in
	 * them too; debug_dir are not. NULL: "/". */
	const char *sysroot;
	const char *cwd;     /* what relative paths of the trace belong to; NULL: not known */
	bool has_debuginfod; /* servers of DEBUGINFOD_URLS are asked for what is not found */
};

#endif
