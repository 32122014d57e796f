/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * free(NULL) is nothing: no free, and nothing that ends a block's being temporary. And free keeps
 * errno.
 *
 *   one       malloc(8)
 *   free(NULL) 3 times, free: temporary          with errno 77 before, and after
 *   large     malloc(1 MiB), freed: munmap       temporary, errno as before
 *
 * 2 calls, 8 + 1048576 = 1048584 bytes, 2 frees, 2 temporary; the peak is large's. N times the
 * same.
 */
#include <errno.h>

#include "controls/control.h"

SITE void *one(void)
{
	return counted(malloc(8), 8);
}

SITE void *large(void)
{
	return counted(malloc(1 << 20), 1 << 20);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		void *block = one();

		NEED(block);
		errno = 77;
		for (int i = 0; i < 3; i++)
			free(blind(NULL));
		free(block);
		NEED(errno == 77);
		block = large();
		NEED(block);
		errno = 77;
		free(block);
		NEED(errno == 77);
	}
	return control_end();
}
