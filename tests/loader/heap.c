/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One of each kind of call, in SITE functions, and 100 mallocs that are resized and freed. Every
 * block is written to and ends, so whoever hands it out is who takes it back. Prints the calls
 * made.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls;

static void *got(void *p, size_t bytes)
{
	if (!p)
		abort();
	memset(p, 1, bytes);
	calls++;
	return p;
}

__attribute__((noinline)) void each(void);
void each(void)
{
	void *p, *q;
	int i;

	for (i = 0; i < 100; i++)
		free(got(realloc(got(malloc(100), 100), 300), 300));
	free(got(calloc(3, 7), 21));
	free(got(aligned_alloc(64, 128), 128));
	if (posix_memalign(&p, 32, 50))
		abort();
	free(got(p, 50));
	free(got(memalign(32, 70), 70));
	free(got(valloc(5), 5));
	p = got(reallocarray(NULL, 3, 5), 15);
	q = got(malloc(10), 10);
	p = got(reallocarray(p, 300, 5), 1500);
	if (malloc_usable_size(p) < 1500)
		abort();
	free(p);
	free(q);
}

int main(void)
{
	each();
	printf("%d\n", calls);
	return 0;
}
