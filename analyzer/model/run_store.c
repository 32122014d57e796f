/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/run_store.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

#define PIECE_BYTES (RUN_PIECE_PLACES * sizeof(uint64_t))
#define PIECES_MAX ((UINT32_MAX >> RUN_PIECE_BITS) - 1)

void run_store_init(struct run_store *store)
{
	*store = (struct run_store){ 0 };
}

void run_store_release(struct run_store *store)
{
	for (uint32_t i = 0; i < store->pieces; i++)
		mem_unmap(store->piece[i], PIECE_BYTES);
	free(store->piece);
	run_store_init(store);
}

static void add_piece(struct run_store *store)
{
	if (store->pieces == PIECES_MAX)
		out_of_memory(PIECE_BYTES);
	if (store->pieces == store->capacity) {
		store->capacity = store->capacity ? store->capacity * 2 : 16;
		store->piece = xreallocarray(store->piece, store->capacity, sizeof(*store->piece));
	}
	/* The first is seldom used up. */
	store->piece[store->pieces] = mem_map(PIECE_BYTES, store->pieces > 0);
	store->pieces++;
}

/* The next place that is a multiple of 1 << room; those before it become smaller runs. */
static void align(struct run_store *store, uint32_t room)
{
	for (uint32_t less = 0; less < room; less++) {
		if (store->next >> less & 1) {
			run_store_give(store, store->next, less);
			store->next += 1u << less;
		}
	}
}

uint32_t run_store_take(struct run_store *store, uint32_t room)
{
	uint32_t run = store->free[room];

	if (run--) {
		store->free[room] = (uint32_t)*run_store_at(store, run);
		return run;
	}
	/* The end of a piece is such a place, too. */
	align(store, room);
	if (store->next == store->pieces * RUN_PIECE_PLACES)
		add_piece(store);
	run = store->next;
	store->next += 1u << room;
	return run;
}

void run_store_give(struct run_store *store, uint32_t run, uint32_t room)
{
	*run_store_at(store, run) = store->free[room];
	store->free[room] = run + 1;
}
