/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A directory walker without a file system: it reserves room for each listing and keeps it until
 * the end, joins a path for each file and keeps that too, and looks at each file through a buffer.
 *
 *   walk > list_directory   40 reserves of 2048        81920
 *   walk > join_path        40 * 50 paths of 96       192000
 *   walk > look_at          2000 buffers of 144, each freed at once: temporary, 2000
 *
 * A file's path is joined before it is looked at, so the peak is in the last file's buffer:
 * 81920 + 192000 + 144 = 274064 in 40 + 2000 + 1 = 2041 blocks. The end frees paths and reserves.
 * 40 + 2000 + 2000 = 4040 calls; 81920 + 192000 + 288000 = 561920 bytes; as many frees as calls.
 * A path is never temporary: its file's buffer is allocated before it is freed.
 *
 * N times: the same peak.
 */
#include "controls/control.h"

#define DIRECTORIES 40
#define FILES 50

static void *listing[DIRECTORIES], *path[DIRECTORIES][FILES];

SITE void *list_directory(void)
{
	return counted(malloc(2048), 2048);
}

SITE void *join_path(void)
{
	return counted(malloc(96), 96);
}

SITE void look_at(void)
{
	free(counted(malloc(144), 144));
	__asm__ volatile("" ::: "memory");
}

SITE void walk(int directory)
{
	listing[directory] = list_directory();
	for (int i = 0; i < FILES; i++) {
		path[directory][i] = join_path();
		look_at();
	}
}

static void forget(int directory)
{
	for (int i = 0; i < FILES; i++)
		free(path[directory][i]);
	free(listing[directory]);
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		for (int i = 0; i < DIRECTORIES; i++)
			walk(i);
		for (int i = 0; i < DIRECTORIES; i++)
			forget(i);
	}
	return control_end();
}
