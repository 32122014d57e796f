/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions behind the hooks: what the next object after us in load order defines. Found by
 * reading the loaded objects' symbol tables: dlsym would take the loader's lock, and allocate.
 */
#ifndef XALLOC_REAL_H
#define XALLOC_REAL_H

#include <stddef.h>

#include "preload/hook_list.h"

struct real {
	int ready;
	int is_glibc;             /* malloc is libc's own */
	const char *libc_version; /* of glibc, or NULL */
	const char *allocator;    /* path of the object that malloc is in */
#define REAL_MEMBER(name, result, parameters) result(*name) parameters;
	XALLOC_HOOKS(REAL_MEMBER)
#undef REAL_MEMBER
};

extern struct real real;

/* The definition of a name in the objects after us, or NULL: for what is asked rarely and must not
 * be imported. */
void *real_find(const char *name);

/* Fills `real`. Our own relocation must be done. */
void real_resolve(void);

#endif
