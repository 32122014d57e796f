/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * posix_memalign says by its result that it failed, and then leaves the pointer alone.
 *
 *   right     alignments 8, 16, 64, 4096 with 10, 20, 30, 40 bytes, and (64, 0): 100 bytes, 5
 * blocks refused   alignments 0, 1, 4 (less than a pointer), 24, 40 (no powers of 2): EINVAL 5
 * times; PTRDIFF_MAX + 1 and 2^50 bytes: ENOMEM twice: 7 failures
 *
 * The blocks are freed in their order. The last one is temporary. 5 calls, 100 bytes, which is the
 * peak, at the block of 40: 4 blocks. N times the same.
 */
#include <errno.h>
#include <stdint.h>

#include "controls/control.h"

SITE void *right(size_t align, size_t bytes)
{
	void *p = NULL;

	NEED(posix_memalign(&p, align, bytes) == 0);
	NEED(p && (uintptr_t)p % align == 0);
	return counted(p, bytes);
}

SITE void refused(size_t align, size_t bytes, int error)
{
	void *p = &p;

	NEED(posix_memalign(&p, opaque(align), opaque(bytes)) == error);
	NEED(p == &p);
}

SITE void take_all(void)
{
	void *block[5];

	block[0] = right(8, 10);
	block[1] = right(16, 20);
	block[2] = right(64, 30);
	block[3] = right(4096, 40);
	block[4] = right(64, opaque(0));
	refused(0, 100, EINVAL);
	refused(1, 100, EINVAL);
	refused(4, 100, EINVAL);
	refused(24, 100, EINVAL);
	refused(40, 100, EINVAL);
	refused(64, (size_t)PTRDIFF_MAX + 1, ENOMEM);
	refused(64, (size_t)1 << 50, ENOMEM);
	for (int i = 0; i < 5; i++)
		free(block[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		take_all();
	return control_end();
}
