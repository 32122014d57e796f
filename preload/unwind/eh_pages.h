/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of unwind tables that are resident because we read them: they are given back to the
 * kernel, which has them in its cache of the file, so that of megabytes of tables at most one is
 * added to the program's resident memory.
 *
 * What the program sees of it is residency alone. Only whole pages within .eh_frame_hdr and
 * .eh_frame are given back, of modules that are never unloaded, in segments that are read-only; and
 * of these only pages that the kernel says to be the file's own (/proc/self/pagemap): one that was
 * written to (relocations in a table, a debugger) is memory, and stays. Pages that are locked stay,
 * too.
 */
#ifndef XALLOC_UNWIND_EH_PAGES_H
#define XALLOC_UNWIND_EH_PAGES_H

#include <stdint.h>

struct dl_find_object;

/* Also in a fork child. */
void eh_pages_init(void);

/* The tables were read for address; gives back what was read when that is much. On a private stack,
 * with signals blocked. */
void eh_pages_were_read(uint64_t address, const struct dl_find_object *object);

#endif
