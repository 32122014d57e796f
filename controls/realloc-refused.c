/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A realloc that fails leaves the old block: its bytes, its stack, its contents.
 *
 *   heap      P = malloc(1000)                             live    1000
 *   refused   P to PTRDIFF_MAX + 1, to SIZE_MAX, to 2^50   3 failures (2^50 is refused by the
 *             kernel, the others by the allocator)
 *   mapping   Q = malloc(1 MiB), a mapping of its own      live 1049576: the peak, 2 blocks
 *   refused   Q to PTRDIFF_MAX + 1, to 2^50                2 failures
 *   free(Q): nothing but failures since it was allocated, so temporary. free(P): not.
 *
 * 2 calls, 1049576 bytes, 5 failures, 2 frees. N times: the same peak.
 */
#include <errno.h>
#include <stdint.h>

#include "controls/control.h"

#define BEYOND ((size_t)1 << 50)

SITE char *heap(void)
{
	return (char *)counted(malloc(1000), 1000);
}

SITE char *mapping(void)
{
	return (char *)counted(malloc(1 << 20), 1 << 20);
}

SITE void refused(void *block, size_t bytes)
{
	errno = 0;
	NEED(!counted(realloc(blind(block), opaque(bytes)), 0) && errno == ENOMEM);
}

SITE void keep(void)
{
	char *p = heap(), *q;

	NEED(p);
	p[999] = 7;
	refused(p, (size_t)PTRDIFF_MAX + 1);
	refused(p, SIZE_MAX);
	refused(p, BEYOND);
	NEED(p[999] == 7);
	q = mapping();
	NEED(q);
	q[12345] = 9;
	refused(q, (size_t)PTRDIFF_MAX + 1);
	refused(q, BEYOND);
	NEED(q[12345] == 9);
	free(q);
	free(p);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		keep();
	return control_end();
}
