/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * aligned_alloc, with the alignments that glibc takes, takes or refuses by version, and refuses.
 *
 *   odd       alignments 0, 3 and 48, 10 bytes each: glibc before 2.38 rounds them up, later ones
 *             refuse them (EINVAL). ODD, which the control says, is how many it took
 *   right     (16, 100), (64, 64), (4096, 8192), (2^20, 10), and (64, 100), where the size is no
 *             multiple, which glibc takes: 8466 bytes, 5 blocks
 *   refused   an alignment above SIZE_MAX / 2 + 1 (EINVAL), PTRDIFF_MAX + 1 and 2^50 bytes
 * (ENOMEM): 3 failures
 *
 * All are freed, the last one allocated first, which is temporary.
 * 5 + ODD calls, 8466 + 10 * ODD bytes, all live at the peak. N times: the same peak.
 */
#include <errno.h>
#include <stdint.h>

#include "controls/control.h"

static void *block[8];
static int blocks;

static void keep(void *p)
{
	if (p)
		block[blocks++] = p;
}

SITE void odd(size_t align)
{
	errno = 0;
	keep(counted(aligned_alloc(opaque(align), 10), 10));
	NEED(!errno || errno == EINVAL);
}

SITE void right(size_t align, size_t bytes)
{
	void *p = counted(aligned_alloc(opaque(align), bytes), bytes);

	NEED(p && (uintptr_t)p % align == 0);
	keep(p);
}

SITE void refused(size_t align, size_t bytes, int error)
{
	errno = 0;
	NEED(!counted(aligned_alloc(opaque(align), opaque(bytes)), 0) && errno == error);
}

SITE void take_all(int first)
{
	blocks = 0;
	odd(0);
	odd(3);
	odd(48);
	if (first)
		control_say("ODD", (unsigned long)blocks);
	right(16, 100);
	right(64, 64);
	right(4096, 8192);
	right(1 << 20, 10);
	right(64, 100);
	refused(SIZE_MAX / 2 + 2, 100, EINVAL);
	refused(64, (size_t)PTRDIFF_MAX + 1, ENOMEM);
	refused(64, (size_t)1 << 50, ENOMEM);
	while (blocks)
		free(block[--blocks]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		take_all(!i);
	return control_end();
}
