/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record stream of the trace: who the process is, its modules, our own mappings, messages.
 * Rare, from any thread, lock-free: a record is given its bytes by compare-and-swap, filled, then
 * marked ready.
 */
#ifndef XALLOC_STORE_RECORDS_H
#define XALLOC_STORE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

#define RECORDS_BYTES_MAX (XT_SLOT_BYTES / 4) /* of one payload */

struct records_piece {
	const void *bytes;
	size_t size;
};

/* Begin an empty record stream in the open file. */
void records_init(void);

/* There is no file any more: records are dropped from now on. */
void records_forget(void);

/* One record from pieces laid end to end. 0, or -1: there was no room, or no trace is open. */
int records_add(enum xt_record_type type, const struct records_piece *piece, unsigned pieces);

/* A record of struct xt_text; cut at RECORDS_BYTES_MAX. */
int records_text(enum xt_record_type type, const char *text, size_t size);

/* A mapping of our own; `what` as in struct xt_range. Ignored before records_init. */
void records_range(uint64_t start, uint64_t end, uint32_t what);

/* At a clean end: what is there is committed as soon as it is whole. */
void records_close_slot(void);

#endif
