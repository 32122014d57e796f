/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that had events: number of the trace -> index from 0, and what replay keeps for
 * each. */
#ifndef XALLOC_MODEL_THREAD_TABLE_H
#define XALLOC_MODEL_THREAD_TABLE_H

#include <stdint.h>

struct thread {
	uint64_t latest_addr; /* of its latest allocation call, 0: none yet */
	uint32_t number;
};

struct thread_table {
	struct thread *thread;
	uint32_t count, capacity;
	uint32_t *slot; /* hash of number -> index + 1 */
	uint32_t slot_mask;
	uint64_t seed;
};

void thread_table_init(struct thread_table *table);
void thread_table_release(struct thread_table *table);
/* Its index, added when it is new. */
uint32_t thread_table_index(struct thread_table *table, uint32_t number);

#endif
