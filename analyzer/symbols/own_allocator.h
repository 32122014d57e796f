/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocators that a program has besides the malloc that others can call: what its symbol tables say
 * of them. Their calls cannot be recorded.
 */
#ifndef XALLOC_SYMBOLS_OWN_ALLOCATOR_H
#define XALLOC_SYMBOLS_OWN_ALLOCATOR_H

#include "analyzer/trace/module_map.h"

struct own_allocator {
	/* A function of the program's own that allocates and that only the program can call: a
	 * malloc that is not exported, or one of another name; NULL: none is known. */
	const char *local;
	/* A function of a shared allocator that the program calls by a name of that allocator's;
	 * NULL: none is known. */
	const char *called;
};

/*
 * Of the executable at `path`, which must be the module's when there is one (NULL: there is none).
 * sysroot may be NULL. All NULL where there is no such file. The names are constant.
 */
struct own_allocator own_allocator_find(const char *sysroot, const char *path,
					const struct module *module);

#endif
