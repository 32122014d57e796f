/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No allocation call at all, however often: every figure is 0, but for the one thread. snprintf to
 * a buffer on the stack and write do not allocate.
 */
#include "controls/control.h"

int main(int argc, char **argv)
{
	NEED(control_work(argc, argv));
	return control_end();
}
