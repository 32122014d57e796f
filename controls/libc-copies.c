/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that libc allocates for its caller: they count as any other, libc's function stands next
 * to the call.
 *
 *   copy      strdup("hello")                         6
 *   part      strndup("hello", 3)                     4
 *   wide      wcsdup(L"hello")                       24
 *
 * strdup's is freed at last, wcsdup's first: temporary. 3 N calls, 34 N bytes, 3 N frees, N
 * temporary; the peak is 34 in 3 blocks.
 *
 * The names of libc's frames depend on its debug files: `~`.
 */
#include <wchar.h>

#include "controls/control.h"

SITE void *copy(void)
{
	return counted(strdup("hello"), 6);
}

SITE void *part(void)
{
	return counted(strndup("hello", 3), 4);
}

SITE void *wide(void)
{
	return counted(wcsdup(L"hello"), 6 * sizeof(wchar_t));
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		char *first = (char *)copy();
		char *second = (char *)part();
		wchar_t *third = (wchar_t *)wide();

		NEED(!strcmp(first, "hello") && !strcmp(second, "hel") && !wcscmp(third, L"hello"));
		free(third);
		free(second);
		free(first);
	}
	return control_end();
}
