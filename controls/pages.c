/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * valloc and pvalloc: on a page, pvalloc whole pages, but what counts is what was asked for.
 *
 *   whole     valloc(0), valloc(1), valloc(5000)                            5001, 3 blocks
 *   rounded   pvalloc(0), pvalloc(1), pvalloc(4096), pvalloc(4097), all of whose pages can be
 *             written to                                                    8194, 4 blocks
 *   refused   valloc of PTRDIFF_MAX + 1 and of 2^50, pvalloc of both, and of SIZE_MAX, which does
 *             not round up: 5 failures, ENOMEM
 *
 * 7 calls, 13195 bytes in 7 blocks: the peak. Freed in the order of their allocation: the last is
 * temporary. N times: the same peak.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#include "controls/control.h"

#define BEYOND ((size_t)1 << 50)

SITE void *whole(size_t bytes)
{
	void *p = counted(valloc(opaque(bytes)), bytes);

	NEED(p && (uintptr_t)p % (size_t)getpagesize() == 0);
	return p;
}

SITE void *rounded(size_t bytes)
{
	const size_t page = (size_t)getpagesize();
	void *p = counted(pvalloc(opaque(bytes)), bytes);

	NEED(p && (uintptr_t)p % page == 0);
	memset(p, 1, (bytes + page - 1) / page * page);
	return p;
}

SITE void refused(void)
{
	static const size_t bytes[2] = { (size_t)PTRDIFF_MAX + 1, BEYOND };

	for (int i = 0; i < 2; i++) {
		errno = 0;
		NEED(!counted(valloc(opaque(bytes[i])), 0) && errno == ENOMEM);
		errno = 0;
		NEED(!counted(pvalloc(opaque(bytes[i])), 0) && errno == ENOMEM);
	}
	errno = 0;
	NEED(!counted(pvalloc(opaque(SIZE_MAX)), 0) && errno == ENOMEM);
}

SITE void take_all(void)
{
	void *block[7];

	block[0] = whole(0);
	block[1] = whole(1);
	block[2] = whole(5000);
	block[3] = rounded(0);
	block[4] = rounded(1);
	block[5] = rounded(4096);
	block[6] = rounded(4097);
	refused();
	for (int i = 0; i < 7; i++)
		free(block[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		take_all();
	return control_end();
}
