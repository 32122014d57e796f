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

/* Which modules are still there? When one is not: its unload record, a new epoch,
 * unwind_forget_rows. is_close: also where another has come to the same place, which is found by
 * its first bytes. */
void modules_check(int is_close);

#endif
