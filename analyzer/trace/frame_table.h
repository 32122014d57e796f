/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame ids of a trace: id -> (pc, epoch, flags), see docs/trace-format.md "Frame ids". */
#ifndef XALLOC_TRACE_FRAME_TABLE_H
#define XALLOC_TRACE_FRAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct frame_table;

struct frame_table *frame_table_new(void);
void frame_table_free(struct frame_table *table);

/* Entries from ids chunks; those without XT_IDF_READY or with a reserved id are ignored, as is the
 * second entry of an id. False: some had ids from XT_IDS_MAX on, which no recorder gives out. */
bool frame_table_add(struct frame_table *table, uint64_t first_id, const struct xt_id *id,
		     size_t count);

/* NULL when the trace does not define the id; ids below XT_ID_FIRST are never defined. */
const struct xt_id *frame_table_get(const struct frame_table *table, uint32_t id);

/* The least id from *id on that is defined, which becomes *id, and its entry; NULL: none. */
const struct xt_id *frame_table_next(const struct frame_table *table, uint32_t *id);

#endif
