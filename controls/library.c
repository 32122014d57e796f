/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library of the control's own, controls/lib/plug.c: its constructor runs before those of the
 * program, its destructor after those of the program.
 *
 *   plug_begin   plug_take: malloc(1000)                   live 1000
 *   main         own: malloc(5), N times, kept             live 1000 +  5 N
 *   plug_work    plug_take: malloc(20), N times, kept      live 1000 + 25 N
 *   plug_end     frees the 1000                            live        25 N
 *                plug_take: malloc(3000), freed            live 3000 + 25 N: the peak, 1 + 2 N
 *
 * 2 + 2 N calls, 4000 + 25 N bytes, 2 frees, 1 temporary; 25 N left in 2 N blocks. The library
 * counts its own calls; it is told the program's, and says both.
 *
 * A constructor of a library is called by the loader, a destructor by the loader below exit: `~`.
 */
#include "controls/control.h"

void plug_work(unsigned long times);
void plug_count(unsigned long calls, unsigned long bytes);

SITE void *own(void)
{
	return counted(malloc(5), 5);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		NEED(own());
	plug_work(work);
	plug_count(atomic_load(&control_calls), atomic_load(&control_bytes));
	return 0;
}
