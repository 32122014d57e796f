/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation before a preloaded library is relocated: libearly.so chooses one of its functions
 * (ifunc) while libearly-user.so is relocated, which comes before anything that is preloaded, for
 * the loader goes through its list from the end.
 *
 *   early_picked early_take: malloc(1000), freed: temporary        live 1000
 *                early_take: malloc(100)                           live  100
 *                early_wider: realloc to 200: temporary            live  200
 *                early_table: calloc(3, 10), freed: temporary      live  200
 *                early_take: malloc(3000000), in a mapping         live 3000200
 *                early_take 200 times: malloc(400), freed: temporary, the first one the peak,
 *                                                         3 blocks live 3000600
 *                early_take: malloc(10), kept                      live 3000210
 *                early_take: malloc(10), realloc to 0 frees it: temporary
 *   main         later: realloc of the 200 to 300: not temporary   live 3000310
 *                free of it: temporary                             live 3000010
 *                realloc of the 10 to 0, free of the 3000000       live    0
 *                N times own: malloc(5), kept                      live  5 N
 *
 * 208 + N calls: malloc 1 + 1 + 1 + 200 + 1 + 1 early, N own. 1000 + 100 + 3000000 + 200 * 400 + 10 +
 * 10 = 3081120 bytes of early_take, 200 + 30 + 300 of others, 5 N; 3 + 200 + 2 + 1 = 206 frees; 4 + 200 +
 * 1 = 205 temporary; 5 N left in N blocks. The frames of the loader are `~`. What chooses has two names, its own and that of the
 * function that it chooses; the global one is shown.
 */
#include "controls/control.h"

int early_use(void);
void *early_left(void);
void *early_at_last(void);
void early_give_back(void);
void early_count(unsigned long calls, unsigned long bytes);

SITE void *later(void *old)
{
	return counted(realloc(old, 300), 300);
}

SITE void *own(void)
{
	return counted(malloc(5), 5);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	NEED(early_use() == 7 && early_left());
	free(later(early_left()));
	NEED(!realloc(early_at_last(), 0));
	early_give_back();
	while (work--)
		NEED(own());
	early_count(atomic_load(&control_calls), atomic_load(&control_bytes));
	return 0;
}
