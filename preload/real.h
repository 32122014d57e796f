/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions behind the hooks: what the next object after us in load order defines. Found by
 * reading the loaded objects' symbol tables: dlsym would take the loader's lock, and allocate.
 */
#ifndef XALLOC_REAL_H
#define XALLOC_REAL_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/sys/hidden.h"
#include "preload/hook_list.h"

struct real {
	int ready;
	uint32_t closings;        /* dlclose calls that have returned */
	int is_glibc;             /* malloc is libc's own */
	const char *libc_version; /* of glibc, or NULL */
	const char *allocator;    /* path of the object that the hooks' malloc is in */
	const char *shadow; /* path of one before us that defines malloc, whose calls do not come
			     * here; "": the program; else NULL */
#define REAL_MEMBER(name, result, parameters) result(*name) parameters;
	XALLOC_HOOKS(REAL_MEMBER)
	/* libgcc's; NULL: ours are not to be found by anybody */
	XALLOC_FRAME_HOOKS(REAL_MEMBER)
#undef REAL_MEMBER
};

extern HIDDEN struct real real;

/* The definition of a name in the objects after us, or NULL: for what is asked rarely and must not
 * be imported. */
void *real_find(const char *name);

/* The same in the object alone that the hooks' malloc is in. */
void *real_find_beside_malloc(const char *name);

/* The kernel's function of that name, or NULL. */
void *real_find_vdso(const char *name);

/* Of one object: the definition of the name's default version, else an older one, else NULL. */
void *real_definition(const struct link_map *map, const char *name);

/* Where an entry of map's dynamic section points to. */
const void *real_pointer(const struct link_map *map, const Elf64_Dyn *d);

const struct link_map *real_our_map(void);

/*
 * Of the objects that the program was started with the last one in load order. They are never
 * unloaded, and make up the global scope in this order.
 */
const struct link_map *real_last_at_start(void);

/* Fills `real`. Our own relocation must be done. The first call, which the first allocation makes
 * at the latest, comes before anything can be opened. */
void real_resolve(void);

#endif
