/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that uses its blocks up to malloc_usable_size, and asks for that much then. Asking is
 * no event; only what was requested counts.
 *
 *   take     malloc(n), n from 1 to 200; all usable bytes are written     1 + ... + 200 = 20100
 *   widen    realloc to the usable size of it: in place; freed            USABLE in all
 *
 * USABLE, the sum of the usable sizes, and LARGEST, the greatest, come from the allocator: the
 * control says them. 400 calls, 20100 + USABLE bytes, 200 frees; every block is freed by the next
 * call: 400 temporary. The peak is LARGEST, one block of widen (of two equal ones the first).
 * N times: the same peak.
 */
#include <malloc.h>

#include "controls/control.h"

SITE void *take(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE void *widen(void *old, size_t bytes)
{
	return counted(realloc(old, bytes), bytes);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);
	size_t sum = 0, largest = 0;

	NEED(malloc_usable_size(NULL) == 0);
	for (unsigned long i = 0; i < work; i++) {
		sum = 0;
		for (size_t n = 1; n <= 200; n++) {
			void *block = take(n);
			size_t usable = malloc_usable_size(block);

			NEED(block && usable >= n);
			memset(block, 1, usable);
			sum += usable;
			if (usable > largest)
				largest = usable;
			block = widen(block, usable);
			NEED(block && malloc_usable_size(block) == usable);
			free(block);
		}
	}
	control_say("USABLE", sum);
	control_say("LARGEST", largest);
	return control_end();
}
