/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From rows to columns: the events of a slot, each part of them moved to the column of its kind,
 * with addresses as trace/predict.h expects them. Columns compress to about half of what rows do,
 * and faster.
 */
#ifndef XALLOC_STORE_COLUMNS_H
#define XALLOC_STORE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct columns; /* memory to work in */

/* Of struct columns; most of it is touched only as far as it is needed. */
size_t columns_bytes(void);

/*
 * rows: the used bytes of a slot of events. The payload of a chunk of columns in *out, inside of c;
 * returns its size, or 0: it is not to be had, the rows have to be taken as they are.
 */
size_t columns_split(struct columns *c, const uint8_t *rows, size_t size, const uint8_t **out);

#endif
