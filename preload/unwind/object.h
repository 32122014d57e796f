/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects whose segments leave gaps: for them glibc's _dl_find_object answers with one segment, and
 * neither the ELF header nor the unwind information lies in it.
 */
#ifndef XALLOC_UNWIND_OBJECT_H
#define XALLOC_UNWIND_OBJECT_H

#include <dlfcn.h>

/* dlfo_map_start becomes the ELF header and dlfo_map_end the end of the last segment, when the
 * header can be found and does not lie at dlfo_map_start. */
void object_widen(struct dl_find_object *object);

#endif
