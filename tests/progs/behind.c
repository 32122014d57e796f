/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * behind WHAT: calls the allocator behind the recorder's back, by the names that it does not hook.
 * `three`: three blocks of 1000 bytes. `map`: one of 1 MiB. `free`: a block that was allocated in
 * sight is freed out of sight. `no`: nothing of that. Two blocks in sight either way.
 */
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *p);

static void *volatile kept[2];

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "no";

	kept[0] = malloc(3000);
	kept[1] = malloc(5000);
	if (!kept[0] || !kept[1])
		return 1;
	for (int i = 0; i < 3 && !strcmp(what, "three"); i++)
		if (!__libc_malloc(1000))
			return 1;
	if (!strcmp(what, "map") && !__libc_malloc(1 << 20))
		return 1;
	if (!strcmp(what, "free"))
		__libc_free(kept[0]);
	return 0;
}
