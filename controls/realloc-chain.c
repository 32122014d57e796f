/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every way of realloc: moved, in place, shrunk, of NULL, to 0 (which frees under glibc),
 * reallocarray.
 *
 *   first       A = malloc(100)                  live   100
 *   blocker     B = malloc(40), behind A         live   140
 *   grow        A = realloc(A, 5000), moved      live  5040
 *   grow        A = realloc(A, 9000), in place   live  9040   the peak: A and B
 *   shrink      A = realloc(A, 200), in place    live   240
 *   from_null   C = realloc(NULL, 300)           live   540
 *   array       C = reallocarray(C, 25, 16)      live   640
 *   array_null  D = reallocarray(NULL, 10, 50)   live  1140
 *   realloc(C, 0)                                live   740   a free
 *   reallocarray(D, 0, 8)                        live   240   a free
 *   free(A)                                      live    40   a free; B is left
 *
 * 2 malloc + 6 realloc = 8 calls, 100 + 40 + 5000 + 9000 + 200 + 300 + 400 + 500 = 15540 bytes, 3
 * frees. Temporary, that is freed with no other allocation call since: both blocks of grow (by the
 * next realloc), the 300 of from_null (by reallocarray), D (freeing C is no allocation call). Not
 * A's first (B came between), not C's second (D), not A's last (C and D).
 *
 * N times: each round leaves a B.
 */
#include <stdint.h>

#include "controls/control.h"

SITE void *first(void)
{
	return counted(malloc(100), 100);
}

SITE void *blocker(void)
{
	return counted(malloc(40), 40);
}

SITE void *grow(void *block, size_t bytes)
{
	return counted(realloc(block, bytes), bytes);
}

SITE void *shrink(void *block)
{
	return counted(realloc(block, 200), 200);
}

SITE void *from_null(void)
{
	return counted(realloc(NULL, 300), 300);
}

SITE void *array(void *block)
{
	return counted(reallocarray(block, 25, 16), 400);
}

SITE void *array_null(void)
{
	return counted(reallocarray(NULL, 10, 50), 500);
}

SITE void chain(void)
{
	void *a = first();
	const void *b = blocker();
	uintptr_t was = (uintptr_t)a;
	void *c, *d;

	NEED(a && b);
	a = grow(a, 5000);
	NEED(a && (uintptr_t)a != was);
	was = (uintptr_t)a;
	a = grow(a, 9000);
	NEED((uintptr_t)a == was);
	a = shrink(a);
	NEED((uintptr_t)a == was);
	c = from_null();
	c = array(c);
	d = array_null();
	NEED(c && d);
	NEED(!counted(realloc(blind(c), opaque(0)), 0));
	NEED(!counted(reallocarray(blind(d), opaque(0), 8), 0));
	free(a);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		chain();
	return control_end();
}
