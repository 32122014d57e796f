/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library bound at once, relocated before the recorder. CFREE, SIZED: it defines that name itself; else it refers to
 * both if they are there.
 */
#include <stdlib.h>

#ifdef CFREE
void cfree(void *p);
void cfree(void *p)
{
	free(p);
}
#else
void cfree(void *) __attribute__((weak));
#endif
#ifdef SIZED
void free_sized(void *p, size_t size)
{
	(void)size;
	free(p);
}
#else
void free_sized(void *, size_t) __attribute__((weak));
#endif

int use(void);
int use(void)
{
	void *p = malloc(10), *q = malloc(20);

#ifdef CFREE
	cfree(p);
#else
	free(p);
#endif
	if (free_sized)
		free_sized(q, 20);
	else
		free(q);
	return 0;
}
