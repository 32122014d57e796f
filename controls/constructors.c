/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation before main: in a function of .preinit_array, which the loader calls before any
 * constructor, the recorder's among them; and in constructors, in their order.
 *
 *   before   (.preinit_array)   N times   take: malloc(40)    live  40 N
 *   first    (priority 101)     N times   take: malloc(500)   live 540 N
 *   second   (priority 102)     frees all of first's          live  40 N    the last one: temporary
 *                               N times   take: malloc(3)     live  43 N
 *   main     frees all of before's and second's               live   0      the last one: temporary
 *   main     N times            take: malloc(600), freed      temporary; live 600
 *
 * 4 N calls, 1143 N bytes, as many frees, 2 + N temporary. The peak is at first's end for N > 1,
 * and main's 600 for N = 1: PEAK_FIRST (0 or 1), which the control says, chooses between them.
 *
 * A function of .preinit_array is called by the loader itself, a constructor of the program by
 * libc below _start: `~`.
 */
#include "controls/control.h"

static void *early[16], *block[16];

SITE void *take(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE void before(int argc, char **argv)
{
	const unsigned long work = control_work(argc, argv);

	NEED(work <= 16);
	for (unsigned long i = 0; i < work; i++)
		early[i] = take(40);
}
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int,
									      char **) = before;

SITE __attribute__((constructor(101))) void first(int argc, char **argv)
{
	const unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		block[i] = take(500);
}

SITE __attribute__((constructor(102))) void second(int argc, char **argv)
{
	const unsigned long work = control_work(argc, argv);

	for (unsigned long i = work; i--;)
		free(block[i]);
	for (unsigned long i = 0; i < work; i++)
		block[i] = take(3);
}

int main(int argc, char **argv)
{
	const unsigned long work = control_work(argc, argv);

	for (unsigned long i = work; i--;)
		free(block[i]);
	for (unsigned long i = 0; i < work; i++)
		free(early[i]);
	for (unsigned long i = 0; i < work; i++)
		free(take(600));
	control_say("PEAK_FIRST", 540 * work > 600);
	return control_end();
}
