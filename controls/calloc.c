/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calloc: the product counts, and one that does not fit is a failure.
 *
 *   dirty     malloc(100), filled, freed                      temporary
 *   cleared   calloc(10, 10), in the same place: zeros          100
 *   product   calloc(3, 1000)                                  3000
 *   mapped    calloc(1, 1 MiB), zeros                       1048576
 *   empty     calloc(0, SIZE_MAX), calloc(SIZE_MAX, 0)            0   two blocks
 *   overflow  calloc(SIZE_MAX / 2, 3) and (3, SIZE_MAX / 2), and (2^32, 2^32), whose product is 0
 *             when cut to 64 bits                                     3 failures
 *   too_big   calloc(1, PTRDIFF_MAX + 1), and (2, 2^49): 2^50 bytes, more than there are
 *             addresses                                               2 failures
 *
 * live at the end of it 1051676 in 5 blocks: the peak, but there without the empty ones, 3 blocks.
 * Then all are freed, the last one allocated first: it is temporary.
 * 6 calls, 100 + 1051676 = 1051776 bytes, 6 frees. N times: the same peak.
 */
#include <errno.h>
#include <stdint.h>

#include "controls/control.h"

#define REFUSED(call)                                       \
	do {                                                \
		errno = 0;                                  \
		NEED(!counted(call, 0) && errno == ENOMEM); \
	} while (0)

static int is_zero(const char *block, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (block[i])
			return 0;
	return 1;
}

SITE void *dirty(void)
{
	char *block = (char *)counted(malloc(100), 100);

	NEED(block);
	memset(block, 7, 100);
	return block;
}

SITE void *cleared(void)
{
	return counted(calloc(10, 10), 100);
}

SITE void *product(void)
{
	return counted(calloc(3, 1000), 3000);
}

SITE void *mapped(void)
{
	return counted(calloc(1, 1 << 20), 1 << 20);
}

SITE void *empty(size_t n, size_t m)
{
	return counted(calloc(n, m), 0);
}

SITE void overflow(void)
{
	REFUSED(calloc(opaque(SIZE_MAX / 2), 3));
	REFUSED(calloc(3, opaque(SIZE_MAX / 2)));
	REFUSED(calloc(opaque((size_t)1 << 32), opaque((size_t)1 << 32)));
}

SITE void too_big(void)
{
	REFUSED(calloc(1, opaque((size_t)PTRDIFF_MAX + 1)));
	REFUSED(calloc(2, opaque((size_t)1 << 49)));
}

SITE void take_all(void)
{
	void *block[5];

	free(dirty());
	block[0] = cleared();
	block[1] = product();
	block[2] = mapped();
	NEED(is_zero((char *)block[0], 100) && is_zero((char *)block[2], 1 << 20));
	block[3] = empty(opaque(0), SIZE_MAX);
	block[4] = empty(SIZE_MAX, opaque(0));
	NEED(block[1] && block[3] && block[4]);
	overflow();
	too_big();
	for (int i = 4; i >= 0; i--)
		free(block[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		take_all();
	return control_end();
}
