/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every size from 0 to 1024 bytes, kept, then freed in another order: odd sizes upward, even ones
 * downward.
 *
 * 1025 calls, 1024 * 1025 / 2 = 524800 bytes, all live at once: the peak. The last one, of 1024, is
 * temporary: only frees come between. N times: the same peak.
 */
#include "controls/control.h"

static void *block[1025];

SITE void *of_size(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE void give_all_back(void)
{
	for (int i = 1; i <= 1024; i += 2)
		free(block[i]);
	for (int i = 1024; i >= 0; i -= 2)
		free(block[i]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		for (size_t i = 0; i <= 1024; i++) {
			block[i] = of_size(i);
			NEED(block[i]);
		}
		give_all_back();
	}
	return control_end();
}
