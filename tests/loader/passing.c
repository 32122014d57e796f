/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that counts calls of malloc and passes them on to the next one: preloaded before the
 * recorder it hands its calls to that. */
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

static void *(*next)(size_t);
static unsigned long calls;

void *malloc(size_t bytes)
{
	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	calls++;
	return next(bytes);
}

__attribute__((destructor)) static void say(void)
{
	if (calls >= 102 && write(1, "counted\n", 8) != 8)
		_exit(1);
}
