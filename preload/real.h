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
#define REAL_MEMBER(name, result, parameters) result(*name) parameters;
	XALLOC_HOOKS(REAL_MEMBER)
#undef REAL_MEMBER
};

extern struct real real;

/* Fills `real`. Our own relocation must be done. */
void real_resolve(void);

#endif
