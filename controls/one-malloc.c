/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One malloc(1), kept: 1 call, 1 byte, 1 block at the peak and at the end, one stack. */
#include "controls/control.h"

int main(void)
{
	const char *block = (const char *)counted(malloc(1), 1);

	NEED(block);
	return control_end();
}
