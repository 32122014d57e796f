/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of frame ids: id -> (epoch, pc), append-only, in blocks of one slot. An entry is in the
 * file before its id is known to anybody.
 */
#ifndef XALLOC_STORE_IDS_H
#define XALLOC_STORE_IDS_H

#include <stdint.h>

#include "preload/trace/format.h"

void ids_init(void);

/* A new id; XT_ID_NONE when there is no room for it. flags: XT_IDF_EXACT and
 * XT_IDF_NO_MODULE. */
uint32_t ids_add(uint64_t pc, uint32_t epoch, uint32_t flags);

/* Every id given out is below. */
uint32_t ids_bound(void);

/* At a clean end: the block being filled is committed; later ids begin a new one. */
void ids_close_block(void);

#endif
