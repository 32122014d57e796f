/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lazy DIRECTORY: calls that the loader makes on the program's behalf in the middle of its code.
 * Thread-local storage of libraries that were opened later, at its first touch in each thread; and
 * functions that are bound at their first call, by the loader's own code, which finds its frame by
 * rbx: one in a library that the caller's does not depend on (the loader notes that), one whose
 * resolver allocates. dlopen and threads allocate, too: nothing but take's calls is counted.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "tests/hazards/hazard.h"

#define THREADS 5

static char *(*touch[2])(void);

static void *open_library(const char *directory, const char *name, int flags)
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	handle = dlopen(path, flags);
	NEED(handle);
	return handle;
}

static void find(void *handle, const char *name, void *function)
{
	*(void **)function = dlsym(handle, name);
	NEED(*(void **)function);
}

static SITE void first_touch(int n)
{
	if (n)
		first_touch(n - 1);
	else
		NEED(touch[0]() && touch[1]());
	take(1);
}

static void *thread(void *unused)
{
	(void)unused;
	first_touch(3);
	first_touch(1);
	return NULL;
}

int main(int argc, char **argv)
{
	void (*run)(void (*)(size_t));
	pthread_t threads[THREADS];
	int i;

	NEED(argc == 2);
	find(open_library(argv[1], "libtls-call.so", RTLD_NOW), "touch", &touch[0]);
	find(open_library(argv[1], "libtls-descriptor.so", RTLD_NOW), "touch", &touch[1]);
	for (i = 0; i < THREADS; i++)
		NEED(!pthread_create(&threads[i], NULL, thread, NULL));
	for (i = 0; i < THREADS; i++)
		NEED(!pthread_join(threads[i], NULL));
	first_touch(2);
	open_library(argv[1], "libbound.so", RTLD_LAZY | RTLD_GLOBAL);
	find(open_library(argv[1], "libbinds.so", RTLD_LAZY), "run", &run);
	run(take);
	run(take);
	return hazard_end();
}
