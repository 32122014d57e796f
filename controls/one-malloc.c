/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One malloc(1), kept: 1 call, 1 byte, 1 block at the peak and at the end, one stack. N times. */
#include "controls/control.h"

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	for (unsigned long i = 0; i < work; i++)
		NEED(counted(malloc(1), 1));
	return control_end();
}
