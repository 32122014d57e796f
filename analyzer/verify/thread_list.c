/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/thread_list.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

void thread_list_release(struct thread_list *list)
{
	free(list->thread);
	free(list->calls);
	free(list->last_stamp);
	free(list->has_event);
}

uint32_t thread_list_index(struct thread_list *list, uint32_t number, uint32_t *tid)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;

		if (list->thread[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < list->count && list->thread[low].number == number) {
		*tid = list->thread[low].tid;
		return list->thread[low].index;
	}
	if (list->count == list->capacity) {
		list->capacity = list->capacity * 2 + 16;
		list->thread = xreallocarray(list->thread, list->capacity, sizeof(*list->thread));
		list->calls = xreallocarray(list->calls, list->capacity, sizeof(*list->calls));
		list->last_stamp = xreallocarray(list->last_stamp, list->capacity,
						 sizeof(*list->last_stamp));
		list->has_event = xreallocarray(list->has_event, list->capacity,
						sizeof(*list->has_event));
	}
	memmove(list->thread + low + 1, list->thread + low,
		(list->count - low) * sizeof(*list->thread));
	list->thread[low] = (struct listed_thread){ number, *tid, list->count };
	list->calls[list->count] = 0;
	list->last_stamp[list->count] = 0;
	list->has_event[list->count] = false;
	return list->count++;
}
