/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The minimal programs of tests/peers.md: `cases NAME` does one thing that a profiler may count in
 * its own way. What each of them says of it stands in tests/peers.long.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept[4];

static void nothing(void)
{
}

static void malloc_free(void)
{
	kept[0] = malloc(1000);
	free(kept[0]);
}

static void malloc_zero(void)
{
	kept[0] = malloc(0);
	kept[1] = calloc(0, 8);
	kept[2] = malloc(1000);
}

/* The zero blocks have gone when the peak comes: only the total has them. */
static void malloc_zero_freed(void)
{
	kept[0] = malloc(0);
	free(kept[0]);
	kept[0] = malloc(1000);
}

static void realloc_grow(void)
{
	kept[0] = malloc(1000);
	kept[0] = realloc(kept[0], 3000);
}

static void realloc_shrink(void)
{
	kept[0] = malloc(3000);
	kept[0] = realloc(kept[0], 1000);
}

static void realloc_null(void)
{
	kept[0] = realloc(NULL, 1000);
}

static void realloc_zero(void)
{
	kept[0] = malloc(1000);
	kept[0] = realloc(kept[0], 0);
	kept[0] = malloc(500);
}

static void reallocarray_grow(void)
{
	kept[0] = reallocarray(NULL, 10, 100);
	kept[0] = reallocarray(kept[0], 20, 100);
}

static void call_memalign(void)
{
	kept[0] = memalign(64, 1000);
}

static void call_valloc(void)
{
	kept[0] = valloc(1000);
}

static void call_pvalloc(void)
{
	kept[0] = pvalloc(1000);
}

static void call_posix_memalign(void)
{
	void *block;

	if (posix_memalign(&block, 64, 1000) == 0)
		kept[0] = block;
}

static void call_aligned_alloc(void)
{
	kept[0] = aligned_alloc(64, 1024);
}

static void failed(void)
{
	volatile size_t most = (size_t)1 << 62, eight = 8;

	kept[0] = malloc(most);
	kept[1] = calloc(most, eight);
	kept[2] = realloc(NULL, most);
}

static void end_by_exit(void)
{
	kept[0] = malloc(1000);
	_exit(0);
}

static void last(void)
{
	kept[0] = malloc(4000);
}

static void call_atexit(void)
{
	atexit(last);
}

static void none(void)
{
}

/* libc's first table of handlers has 32 places, of which it takes one itself: another one's two are
 * too many. */
static void atexit_many(void)
{
	for (int i = 0; i < 30; i++)
		atexit(none);
}

static void *in_thread(void *arg)
{
	kept[0] = malloc(100);
	return arg;
}

static void thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, in_thread, NULL) == 0)
		pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"nothing", nothing},
		{"malloc-free", malloc_free},
		{"malloc-zero", malloc_zero},
		{"malloc-zero-freed", malloc_zero_freed},
		{"realloc-grow", realloc_grow},
		{"realloc-shrink", realloc_shrink},
		{"realloc-null", realloc_null},
		{"realloc-zero", realloc_zero},
		{"reallocarray", reallocarray_grow},
		{"memalign", call_memalign},
		{"valloc", call_valloc},
		{"pvalloc", call_pvalloc},
		{"posix_memalign", call_posix_memalign},
		{"aligned_alloc", call_aligned_alloc},
		{"failed", failed},
		{"_exit", end_by_exit},
		{"atexit", call_atexit},
		{"atexit-many", atexit_many},
		{"thread", thread},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return 0;
		}
	return 2;
}
