/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dlclose DIRECTORY: two libraries that take each other's place, with the same code addresses but
 * frames of different sizes, so that what was known of an address is wrong. dlopen allocates, which
 * is not counted; how often a place was used again is said.
 */
#include <dlfcn.h>

#include "tests/hazards/hazard.h"

static void from_library(size_t bytes)
{
	take(bytes);
}

static void *use(const char *directory, const char *name)
{
	void (*call)(void (*)(size_t), int);
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	handle = dlopen(path, RTLD_NOW);
	NEED(handle);
	*(void **)&call = dlsym(handle, "call");
	NEED(call);
	call(from_library, 3);
	NEED(!dlclose(handle));
	return (void *)call;
}

int main(int argc, char **argv)
{
	void *at, *before = NULL;
	char text[64];
	int i, again = 0, length;

	NEED(argc == 2);
	for (i = 0; i < 40; i++) {
		at = use(argv[1], i % 3 ? "libroom-200.so" : "libroom-8.so");
		again += at == before;
		before = at;
	}
	length = snprintf(text, sizeof(text), "again %d\n", again);
	NEED(write(STDOUT_FILENO, text, (size_t)length) == length);
	return hazard_end();
}
