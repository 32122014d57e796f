/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that a trace names, sorted by number. */
#ifndef XALLOC_VERIFY_THREAD_LIST_H
#define XALLOC_VERIFY_THREAD_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct listed_thread {
	uint32_t number, tid;
	uint32_t index; /* of its calls */
};

struct thread_list {
	struct listed_thread *thread;
	uint64_t *calls; /* allocation calls so far, by index */
	uint64_t *last_stamp; /* of its latest event so far, by index */
	bool *has_event;
	uint32_t count, capacity;
};

void thread_list_release(struct thread_list *list);
/* The thread's index, added when it is new; *tid becomes the one that it had when it was added. */
uint32_t thread_list_index(struct thread_list *list, uint32_t number, uint32_t *tid);

#endif
