/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation before a preloaded library is relocated: libearly.so chooses one of its functions
 * (ifunc) while libearly-user.so is relocated, which comes before anything that is preloaded, for
 * the loader goes through its list from the end.
 *
 *   early_picked early_take: malloc(1000), freed: temporary        live 1000: the peak, 1 block
 *                early_take: malloc(100)                           live  100
 *                early_wider: realloc to 200: temporary            live  200
 *                early_table: calloc(3, 10), freed: temporary      live  200
 *   main         later: realloc of the 200 to 300: not temporary   live  300
 *                free of it: temporary                             live    0
 *                N times own: malloc(5), kept                      live  5 N
 *
 * 5 + N calls, 1000 + 100 + 200 + 30 + 300 = 1630 and 5 N bytes; 3 frees; 4 temporary; 5 N left in
 * N blocks. The frames of the loader are `~`. What chooses has two names, its own and that of the
 * function that it chooses; the global one is shown.
 */
#include "controls/control.h"

int early_use(void);
void *early_left(void);
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
	while (work--)
		NEED(own());
	early_count(atomic_load(&control_calls), atomic_load(&control_bytes));
	return 0;
}
