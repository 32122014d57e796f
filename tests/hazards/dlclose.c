/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dlclose DIRECTORY: two libraries that take each other's place, with the same code addresses but
 * frames of different sizes, so that what was known of an address is wrong; they allocate in their
 * constructors and destructors too. Meanwhile another thread's stacks are of a third such library,
 * which stays. How often a place was used again is said. The libraries' own calls and dlopen's are
 * not counted.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "tests/hazards/hazard.h"

static const char *directory;
static volatile int is_over;
static volatile unsigned long rounds;

static void from_library(size_t bytes)
{
	take(bytes);
}

static void *open_library(const char *name, void (**call)(void (*)(size_t), int))
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	handle = dlopen(path, RTLD_NOW);
	NEED(handle);
	*(void **)call = dlsym(handle, "call");
	NEED(*call);
	return handle;
}

static void *use(const char *name)
{
	void (*call)(void (*)(size_t), int);
	void *handle = open_library(name, &call);

	call(from_library, 3);
	NEED(!dlclose(handle));
	return (void *)call;
}

static void *thread(void *unused)
{
	void (*call)(void (*)(size_t), int);
	void *handle = open_library("libroom-100.so", &call);

	(void)unused;
	while (!is_over) {
		call(from_library, 5);
		rounds++;
	}
	NEED(!dlclose(handle));
	return NULL;
}

int main(int argc, char **argv)
{
	void *at, *before = NULL;
	unsigned long seen;
	char text[64];
	int i, again = 0, length;
	pthread_t other;

	NEED(argc == 2);
	directory = argv[1];
	NEED(!pthread_create(&other, NULL, thread, NULL));
	for (i = 0; i < 40; i++) {
		seen = rounds;
		at = use(i % 3 ? "libroom-200.so" : "libroom-8.so");
		again += at == before;
		before = at;
		while (rounds == seen)
			sched_yield();
	}
	is_over = 1;
	NEED(!pthread_join(other, NULL));
	length = snprintf(text, sizeof(text), "again %d\n", again);
	NEED(write(STDOUT_FILENO, text, (size_t)length) == length);
	return hazard_end();
}
