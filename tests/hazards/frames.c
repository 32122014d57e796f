/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames whose size is known only when they run, or that realign the stack: variable arrays, alloca
 * again and again in one frame, 256-bit vectors, and all of it at once; and such as are larger than
 * most.
 */
#include <alloca.h>
#include <string.h>

#include "tests/hazards/hazard.h"

typedef double vector __attribute__((vector_size(32)));

static SITE void use(void *a, void *b)
{
	__asm__ volatile("" : : "r"(a), "r"(b) : "memory");
}

static SITE void variable(int n)
{
	char array[n];

	use(array, array);
	if (n > 16)
		variable(n / 2);
	take((size_t)n);
	use(array, array);
}

static SITE void grows(int times)
{
	int i;

	for (i = 0; i < times; i++) {
		char *more = alloca(16 * (size_t)(i % 5 + 1));

		use(more, &i);
		take((size_t)i + 1);
	}
	variable(20);
	NOT_LAST;
}

static SITE void aligned(int n)
{
	char fixed[64] __attribute__((aligned(64)));

	use(fixed, &n);
	take((size_t)n + 1);
	if (n)
		aligned(n - 1);
	take((size_t)n + 1);
	use(fixed, &n);
}

static SITE __attribute__((target("avx2"))) void vectors(int n)
{
	vector sums[4] = { { 0 } };
	char array[n + 1];
	int i;

	for (i = 0; i < 4; i++) {
		use(sums, array);
		sums[i] += (double)n;
	}
	take((size_t)n + 1);
	if (n)
		vectors(n - 1);
	use(sums, array);
	take((size_t)n + 1);
	NOT_LAST;
}

static SITE void all(int n)
{
	char fixed[64] __attribute__((aligned(128)));
	char *more = alloca((size_t)n * 8 + 8);
	char array[n + 1];

	use(fixed, array);
	use(more, array);
	grows(n);
	if (n) {
		all(n - 1);
		aligned(n % 3);
	}
	use(fixed, array);
}

#define LARGE(name, bytes)           \
	static SITE void name(int n) \
	{                            \
		char array[bytes];   \
                                     \
		use(array, &n);      \
		take((size_t)n + 1); \
		if (n)               \
			name(n - 1); \
		use(array, &n);      \
	}
LARGE(large, 60000)
LARGE(larger, 70000)
LARGE(largest, 300000)

int main(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		large(3);
		larger(3);
		largest(3);
		variable(1000);
		grows(20);
		aligned(10);
		all(6);
		if (__builtin_cpu_supports("avx2"))
			vectors(10);
	}
	return hazard_end();
}
