/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * realloc and reallocarray to 0 bytes: of a block it is a free under glibc, of NULL a block of 0.
 *
 *   block     malloc(70)                      live 70: the peak
 *   realloc to 0                              live  0   free, temporary
 *   nothing   realloc(NULL, 0), to 0 again    live  0   a call, free, temporary
 *   table     calloc(2, 30)                   live 60
 *   reallocarray to 0 * 9                     live  0   free, temporary
 *   table     calloc(2, 30)                   live 60
 *   reallocarray to 9 * 0                     live  0   free, temporary
 *   no_items  reallocarray(NULL, 0, 0)        live  0   a call
 *   some      realloc to 33                   live 33   which frees the block of 0: temporary
 *   free                                      live  0   free, temporary
 *
 * 6 calls, 70 + 60 + 60 + 33 = 223 bytes, 5 frees, 6 temporary. N times: the same peak.
 */
#include "controls/control.h"

SITE void *block(void)
{
	return counted(malloc(70), 70);
}

SITE void *nothing(void)
{
	return counted(realloc(NULL, opaque(0)), 0);
}

SITE void *table(void)
{
	return counted(calloc(2, 30), 60);
}

SITE void *no_items(void)
{
	return counted(reallocarray(NULL, opaque(0), opaque(0)), 0);
}

SITE void *some(void *old)
{
	return counted(realloc(old, 33), 33);
}

SITE void resize(void)
{
	void *p = block();

	NEED(p);
	NEED(!counted(realloc(blind(p), opaque(0)), 0));
	p = nothing();
	NEED(p);
	NEED(!counted(realloc(blind(p), opaque(0)), 0));
	p = table();
	NEED(p && !counted(reallocarray(blind(p), opaque(0), 9), 0));
	p = table();
	NEED(p && !counted(reallocarray(blind(p), 9, opaque(0)), 0));
	p = no_items();
	NEED(p);
	p = some(p);
	NEED(p);
	free(p);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--)
		resize();
	return control_end();
}
