/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * collector COLLECTIONS: a collector that stops threads by a signal and scans their stacks, so
 * often, while another thread allocates without pause and fills what the recorder fills. What that
 * thread holds of the collector's memory it holds by its stack and registers alone, for which a
 * recorder that kept the thread on a stack of its own would be fatal. The collector's own calls of
 * malloc, if any, are not counted.
 */
#define GC_THREADS
#include <gc.h>
#include <pthread.h>
#include <stdint.h>

#include "tests/hazards/hazard.h"

#define LIST 50

static volatile int is_over;
static volatile unsigned long rounds;

struct cell {
	struct cell *next;
	uintptr_t mark;
	char rest[100];
};

static SITE struct cell *list_new(uintptr_t mark)
{
	struct cell *list = NULL, *cell;
	int i;

	for (i = 0; i < LIST; i++) {
		cell = GC_MALLOC(sizeof(*cell));
		NEED(cell);
		cell->next = list;
		cell->mark = mark;
		list = cell;
		take(100);
	}
	return list;
}

static SITE void list_check(const struct cell *list, uintptr_t mark)
{
	int i;

	for (i = 0; i < LIST; i++, list = list->next)
		NEED(list && list->mark == mark);
	NEED(!list);
}

static SITE void many(void)
{
	int i;

	for (i = 0; i < 200; i++)
		take((size_t)i % 90 + 1);
	NOT_LAST;
}

static void *thread(void *unused)
{
	uintptr_t mark = 1;

	(void)unused;
	while (!is_over) {
		struct cell *list = list_new(mark);

		many();
		list_check(list, mark++);
		rounds++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const long collections = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	unsigned long before = 0;
	pthread_t other;
	long i;

	NEED(collections > 0);
	GC_INIT();
	NEED(!pthread_create(&other, NULL, thread, NULL));
	for (i = 0; i < collections; i++) {
		take(1);
		GC_gcollect();
		/* not collections only, without a step of the other thread between */
		if (i % 10 == 0)
			while (rounds == before)
				sched_yield();
		before = rounds;
	}
	is_over = 1;
	NEED(!pthread_join(other, NULL));
	return hazard_end();
}
