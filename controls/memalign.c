/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memalign, whose alignment glibc rounds up to a power of 2.
 *
 *   right     alignments 0, 1, 16, 32, 4096 with 1, 2, 3, 4, 5 bytes: 15 bytes, 5 blocks
 *   rounded   alignment 48: a multiple of 64; 100 bytes
 *   refused   an alignment above SIZE_MAX / 2 + 1 (EINVAL), PTRDIFF_MAX + 1 and 2^50 bytes
 * (ENOMEM): 3 failures
 *
 *   wider     realloc of the one of 4096 to 10 bytes, wherever it lands
 *
 * Before it live 115, after it 120 in 6 blocks: the peak. All are freed, that one first, which is
 * temporary; none of the others was the last one allocated.
 * 7 calls, 125 bytes, 6 frees. N times: the same peak.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#include "controls/control.h"

SITE void *right(size_t align, size_t bytes)
{
	void *p = counted(memalign(opaque(align), bytes), bytes);

	NEED(p && (!align || (uintptr_t)p % align == 0));
	return p;
}

SITE void *rounded(void)
{
	void *p = counted(memalign(opaque(48), 100), 100);

	NEED(p && (uintptr_t)p % 64 == 0);
	return p;
}

SITE void *wider(void *old)
{
	return counted(realloc(old, 10), 10);
}

SITE void refused(size_t align, size_t bytes, int error)
{
	errno = 0;
	NEED(!counted(memalign(opaque(align), opaque(bytes)), 0) && errno == error);
}

SITE void take_all(void)
{
	static const size_t align[5] = { 0, 1, 16, 32, 4096 };
	void *block[6];

	for (size_t i = 0; i < 5; i++)
		block[i] = right(align[i], i + 1);
	block[5] = rounded();
	refused(SIZE_MAX / 2 + 2, 100, EINVAL);
	refused(64, (size_t)PTRDIFF_MAX + 1, ENOMEM);
	refused(64, (size_t)1 << 50, ENOMEM);
	block[4] = wider(block[4]);
	NEED(block[4]);
	free(block[4]);
	for (int i = 0; i < 4; i++)
		free(block[i]);
	free(block[5]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		take_all();
	return control_end();
}
