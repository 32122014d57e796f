/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Committing: a full slot becomes metadata and one compressed frame in the file. Called with
 * signals blocked. Compressing needs a private stack (sys/stack.h) and a free context; else the
 * chunk is stored raw.
 */
#ifndef XALLOC_STORE_COMMIT_H
#define XALLOC_STORE_COMMIT_H

#include "preload/store/slot.h"

/* Nobody writes to the slot any more. 0, or a negative errno as in file.h; the slot is as it was.
 */
int commit_slot(const struct slot *s, int may_compress);

/* The totals frame of a clean end. */
int commit_totals(uint64_t ids);

#endif
