/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of 1, 2, 4 ... 256 places of 8 bytes, in large pieces of memory. What is given back is used
 * again. */
#ifndef XALLOC_MODEL_RUN_STORE_H
#define XALLOC_MODEL_RUN_STORE_H

#include <stdint.h>

#define RUN_ROOMS 9       /* 1 << 0 to 1 << 8 */
#define RUN_PIECE_BITS 18 /* places of a piece: 2 MB */
#define RUN_PIECE_PLACES (1u << RUN_PIECE_BITS)

struct run_store {
	uint64_t **piece;
	uint32_t pieces, capacity;
	uint32_t next;            /* the first place that was never given out */
	uint32_t free[RUN_ROOMS]; /* by room, the first run of a list: its number + 1; 0: none */
};

void run_store_init(struct run_store *store);
void run_store_release(struct run_store *store);

/* A run of 1 << room places, whatever may be in them: the number of the first, which is a multiple
 * of that, as its address is of 8 << room. */
uint32_t run_store_take(struct run_store *store, uint32_t room);
void run_store_give(struct run_store *store, uint32_t run, uint32_t room);

/* The places of a run stand one behind the other, and do not move. */
static inline uint64_t *run_store_at(const struct run_store *store, uint32_t place)
{
	return &store->piece[place >> RUN_PIECE_BITS][place & (RUN_PIECE_PLACES - 1)];
}

#endif
