/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storm THREADS ROUNDS PLUGIN...: each thread opens a plugin, has it allocate, and closes it,
 * ROUNDS times over; it takes them in turn, so that one thread opens what another is closing.
 * Meanwhile the main thread is in callbacks of dl_iterate_phdr, in which it allocates with a lock
 * of the loader held. Prints the calls of the plugins, of their constructors, and of the callback.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 64

static char **plugins;
static int plugin_count, rounds;
static atomic_int running;
static atomic_long plugin_calls;
static long callback_calls;
atomic_long plugin_begun;

static void *storm(void *arg)
{
	const long first = (long)arg;
	int i;

	for (i = 0; i < rounds; i++) {
		void *plugin = dlopen(plugins[(first + i) % plugin_count],
				      (first + i) % 2 ? RTLD_LAZY : RTLD_NOW);
		int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_work") : NULL;

		if (!work) {
			fprintf(stderr, "%s\n", dlerror());
			abort();
		}
		atomic_fetch_add(&plugin_calls, work());
		if (dlclose(plugin))
			abort();
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

__attribute__((noinline)) int in_callback(struct dl_phdr_info *info, size_t size, void *unused);
int in_callback(struct dl_phdr_info *info, size_t size, void *unused)
{
	void *volatile p = malloc(7);

	(void)info;
	(void)size;
	(void)unused;
	free(p);
	callback_calls++;
	return 0;
}

int main(int argc, char **argv)
{
	const long threads = argc > 3 ? atol(argv[1]) : 0;
	pthread_t thread[THREADS_MAX];
	long i;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	rounds = atoi(argv[2]);
	plugins = argv + 3;
	plugin_count = argc - 3;
	running = (int)threads;
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, storm, (void *)i))
			return 2;
	while (running)
		dl_iterate_phdr(in_callback, NULL);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%ld %ld %ld\n", (long)plugin_calls, (long)plugin_begun, callback_calls);
	return 0;
}
