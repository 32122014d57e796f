/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that fail change nothing but the count of failures.
 *
 *   keep       malloc(1000)                               +1000 live 1000, the peak (1 block)
 *   sizes      malloc, realloc(NULL), memalign, valloc and aligned_alloc of PTRDIFF_MAX + 1,
 *              pvalloc of SIZE_MAX, which does not round up                      6 failures
 *   products   calloc and reallocarray(NULL) of SIZE_MAX / 2 * 3,
 *              calloc of 1 * (PTRDIFF_MAX + 1)                                   3 failures
 *   alignments posix_memalign of 24 and 4 (EINVAL, twice), of PTRDIFF_MAX + 1 bytes (ENOMEM),
 *              aligned_alloc of an alignment above SIZE_MAX / 2 + 1 (EINVAL under glibc, which
 *              rounds other odd ones up before 2.38)                             4 failures
 *   resizes    realloc of the block to PTRDIFF_MAX + 1, reallocarray of it to SIZE_MAX / 2 * 3:
 *              the block stays as it is                                          2 failures
 *   free of the block: no allocation call has come between, only failures, so it is temporary
 *   after      malloc(24), kept                           +24   live 24
 *
 * 15 failed calls, 2 allocation calls of 1000 + 24 = 1024 bytes, 1 free. N times: what after
 * has left, 24 a round, adds to the peak.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#include "controls/control.h"

#define HUGE_BYTES ((size_t)PTRDIFF_MAX + 1)

#define REFUSED(call, error)                                 \
	do {                                                 \
		errno = 0;                                   \
		NEED(!counted(call, 0) && errno == (error)); \
	} while (0)

SITE char *keep(void)
{
	return (char *)counted(malloc(1000), 1000);
}

SITE void sizes(void)
{
	REFUSED(malloc(opaque(HUGE_BYTES)), ENOMEM);
	REFUSED(realloc(NULL, opaque(HUGE_BYTES)), ENOMEM);
	REFUSED(memalign(64, opaque(HUGE_BYTES)), ENOMEM);
	REFUSED(valloc(opaque(HUGE_BYTES)), ENOMEM);
	REFUSED(aligned_alloc(64, opaque(HUGE_BYTES)), ENOMEM);
	REFUSED(pvalloc(opaque(SIZE_MAX)), ENOMEM);
}

SITE void products(void)
{
	REFUSED(calloc(opaque(SIZE_MAX / 2), 3), ENOMEM);
	REFUSED(reallocarray(NULL, opaque(SIZE_MAX / 2), 3), ENOMEM);
	REFUSED(calloc(1, opaque(HUGE_BYTES)), ENOMEM);
}

SITE void alignments(void)
{
	void *block = &block;

	NEED(posix_memalign(&block, opaque(24), 100) == EINVAL);
	NEED(posix_memalign(&block, opaque(4), 100) == EINVAL);
	NEED(posix_memalign(&block, 64, opaque(HUGE_BYTES)) == ENOMEM);
	NEED(block == &block);
	REFUSED(aligned_alloc(opaque(SIZE_MAX / 2 + 2), 100), EINVAL);
}

SITE void resizes(void *block)
{
	REFUSED(realloc(blind(block), opaque(HUGE_BYTES)), ENOMEM);
	REFUSED(reallocarray(blind(block), opaque(SIZE_MAX / 2), 3), ENOMEM);
}

SITE void *after(void)
{
	return counted(malloc(24), 24);
}

SITE void try_all(void)
{
	char *block = keep();

	NEED(block);
	block[999] = 7;
	sizes();
	products();
	alignments();
	resizes(block);
	NEED(block[999] == 7);
	free(block);
	NEED(after());
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		try_all();
	return control_end();
}
