/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that libc calls back, and that allocate: their stacks go through libc.
 *
 *   sort      qsort of two elements: one comparison > compare > note: malloc(10), kept
 *   look      lfind in five elements, of one that is not there: 5 > compare > note, kept; each
 *             comparison itself sorts two others: look > compare_deep > sort > compare > note
 *   once      pthread_once > set_up > note, in the first round only
 *
 * 1 + 5 + 5 = 11 notes a round, and one: 11 N + 1 calls, 110 N + 10 bytes, all left; the peak is at
 * the end. `~` stands for libc's frames.
 */
#include <pthread.h>
#include <search.h>

#include "controls/control.h"

SITE void note(void)
{
	NEED(counted(malloc(10), 10));
}

SITE int compare(const void *a, const void *b)
{
	note();
	return *(const int *)a - *(const int *)b;
}

SITE void sort(void)
{
	int pair[2] = { 2, 1 };

	qsort(pair, 2, sizeof(pair[0]), compare);
	NEED(pair[0] == 1);
}

SITE int compare_deep(const void *a, const void *b)
{
	note();
	sort();
	return *(const int *)a - *(const int *)b;
}

SITE void look(void)
{
	const int list[5] = { 1, 2, 3, 4, 5 }, key = 6;
	size_t count = 5;

	NEED(!lfind(&key, list, &count, sizeof(list[0]), compare_deep));
}

SITE void set_up(void)
{
	note();
	__asm__ volatile("" ::: "memory");
}

SITE void once(void)
{
	static pthread_once_t control = PTHREAD_ONCE_INIT;

	NEED(!pthread_once(&control, set_up));
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		sort();
		look();
		once();
	}
	return control_end();
}
