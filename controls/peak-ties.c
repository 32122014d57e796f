/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The maximum is reached again by a realloc that grows, by calloc, and by one byte: equal, never
 * greater, so the first one stays the peak, with its stacks.
 *
 *   a = malloc(600), b = malloc(400)         live 1000   the peak: a 600, b 400
 *   free(b): temporary                       live  600
 *   grow    a to 1000                        live 1000   the old a: not temporary, b came between
 *   cut     a to 500                         live  500   the a of 1000: temporary
 *   c = calloc(5, 100)                       live 1000
 *   free(c): temporary                       live  500
 *   grow    a to 999                         live  999   the a of 500: not temporary
 *   d = malloc(1)                            live 1000
 *   free(d): temporary. free(a): not         live    0
 *
 * 7 calls, 600 + 400 + 1000 + 500 + 500 + 999 + 1 = 4000 bytes, 4 frees, 4 temporary. N times the
 * same.
 */
#include "controls/control.h"

SITE void *a(void)
{
	return counted(malloc(600), 600);
}

SITE void *b(void)
{
	return counted(malloc(400), 400);
}

SITE void *c(void)
{
	return counted(calloc(5, 100), 500);
}

SITE void *d(void)
{
	return counted(malloc(1), 1);
}

SITE void *grow(void *old, size_t bytes)
{
	return counted(realloc(old, bytes), bytes);
}

SITE void *cut(void *old)
{
	return counted(realloc(old, 500), 500);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		void *block = a();

		free(b());
		block = grow(block, 1000);
		block = cut(block);
		free(c());
		block = grow(block, 999);
		free(d());
		free(block);
	}
	return control_end();
}
