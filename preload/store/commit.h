/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Committing: a full slot becomes metadata and one compressed frame in the file. Runs with signals blocked, on a
 * private stack when a compression context is free; otherwise the chunk is stored raw.
 */
#ifndef XALLOC_STORE_COMMIT_H
#define XALLOC_STORE_COMMIT_H

#include "preload/store/slot.h"

/* Nobody writes to the slot any more. 0, or a negative errno as in file.h; the slot is as it was. */
int commit_slot(const struct slot *s);

/* The totals frame of a clean end. */
int commit_totals(uint64_t ids);

/* A fork child begins at zero. */
void commit_init(void);

#endif
