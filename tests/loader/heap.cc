/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * each() makes 208 allocation calls, of every kind: 100 mallocs that are resized, one of each other
 * function, and a reallocarray of a block. by_new() makes 40 of C++'s, where no more is asked for
 * than operator new does. Every block is written to and ends, so whoever hands it out has to be who
 * takes it back. Prints the calls.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

static int calls;

static char *got(void *p, size_t bytes)
{
	if (!p)
		abort();
	memset(p, 1, bytes);
	calls++;
	return static_cast<char *>(p);
}

__attribute__((noinline)) static void each()
{
	void *p, *q;
	int i;

	for (i = 0; i < 100; i++) {
		p = got(malloc(100), 100);
		free(got(realloc(p, 300), 300));
	}
	free(got(calloc(3, 7), 21));
	free(got(aligned_alloc(64, 128), 128));
	if (posix_memalign(&p, 32, 50))
		abort();
	free(got(p, 50));
	free(got(memalign(32, 70), 70));
	free(got(valloc(5), 5));
	p = got(reallocarray(nullptr, 3, 5), 15);
	q = got(malloc(10), 10);
	p = got(reallocarray(p, 300, 5), 1500);
	if (malloc_usable_size(p) < 1500)
		abort();
	free(p);
	free(q);
}

struct alignas(64) wide {
	char text[128];
};

__attribute__((noinline)) static void by_new()
{
	int i;

	for (i = 0; i < 10; i++) {
		char *volatile one = new char;
		char *volatile many = new char[100];
		char *volatile quiet = new (std::nothrow) char[50];
		wide *volatile aligned = new wide;

		got(one, 1);
		got(many, 100);
		got(quiet, 50);
		got(aligned, sizeof(*aligned));
		delete one;
		delete[] many;
		operator delete[](quiet, std::nothrow);
		delete aligned;
	}
}

int main()
{
	each();
	by_new();
	printf("%d\n", calls);
	return 0;
}
