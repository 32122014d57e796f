/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded ELF objects, as the trace names them. A module is noticed when an address in it is first
 * walked
 * (_dl_find_object takes no lock), and found gone after a dlclose or at a chunk's end. Each
 * unloading begins a new epoch: an address in the trace means (epoch, pc).
 */
#ifndef XALLOC_MODULES_H
#define XALLOC_MODULES_H

#include <dlfcn.h>
#include <stdint.h>

/* The executable's path, for the object without a name. Forgets all modules. */
void modules_init(const char *exe);

uint32_t modules_epoch(void);

/* From now on addresses may mean something else, though no module went. */
void modules_new_epoch(void);

/* Writes the module's record when it is seen for the first time in this epoch. */
void modules_note(const struct dl_find_object *object);

/* Is it one that the program was started with? Those are never unloaded. */
int modules_is_lasting(const struct link_map *map);

/*
 * Which modules are still there? When one is not: its unload record, a new epoch,
 * unwind_forget_rows. To be called at every event while a dlclose is at work. Then no library comes
 * to the place of another unseen: for each that it opens the loader allocates (by our hooks, under
 * its lock) after the other is gone and before it is mapped.
 */
void modules_check(void);

/* Would modules_check find all of them? No system call, little stack. */
int modules_are_there(void);

#endif
