/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recursion 100,000 deep, on a thread's stack that has room for it: calls on the way down and
 * back, moves up and down at the far end, and shallow calls between.
 */
#include <pthread.h>

#include "tests/hazards/hazard.h"

#define DEEPEST 100000

static SITE void here(int n)
{
	if (n)
		here(n - 1);
	else
		take(1);
	NOT_LAST;
}

static SITE void dive(int n)
{
	if (n % 10000 == 0)
		take(2);
	if (n == DEEPEST) {
		int i;

		for (i = 0; i < 2000; i += 37)
			here(i % 1200);
	} else {
		dive(n + 1);
	}
	if (n % 10000 == 0 || (n > DEEPEST - 100 && n % 9 == 0))
		take(3);
	NOT_LAST;
}

static void *thread(void *unused)
{
	(void)unused;
	here(3);
	dive(1);
	here(3);
	here(700);
	dive(50000);
	here(1);
	return NULL;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t diver;

	NEED(!pthread_attr_init(&attributes));
	NEED(!pthread_attr_setstacksize(&attributes, 64 << 20));
	NEED(!pthread_create(&diver, &attributes, thread, NULL));
	hazard_calls++; /* its dtv */
	NEED(!pthread_join(diver, NULL));
	return hazard_end();
}
