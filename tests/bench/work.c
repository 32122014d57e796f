/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs to be recorded, one function each: work NAME [ARGUMENTS]. What they do depends on their
 * arguments alone. Failures of malloc are not looked for.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone, noipa))
#define DEEP 60
#define PATH_BITS 9 /* 512 call paths */
#define EXCHANGE_SLOTS 1024
#define THREADS_MAX 64

static uint64_t number(char **argv, int i)
{
	return argv[i] ? strtoull(argv[i], NULL, 10) : 0;
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int empty(char **argv)
{
	(void)argv;
	return 0;
}

/* tight PAIRS */
static int tight(char **argv)
{
	uint64_t i, n = number(argv, 0), size = 1;

	for (i = 0; i < n; i++) {
		size = size * 6364136223846793005u + 1442695040888963407u;
		free(malloc(16 + (size >> 56)));
	}
	return 0;
}

struct deep {
	uint64_t pairs, i;
	uint64_t state, path; /* random */
	unsigned sizes;       /* how many different ones */
	int is_loop;          /* all pairs at the bottom, instead of a descent for each */
};

static APART uint64_t descend(struct deep *d, unsigned depth);

static APART uint64_t bottom(struct deep *d)
{
	uint64_t end = d->is_loop ? d->pairs : d->i + 1;

	for (; d->i < end; d->i++)
		free(malloc(16 + 8 * (random_next(&d->state) % d->sizes)));
	return d->i;
}

/* The last calls before the bottom stand in one of two places each, as the bits of path say. */
static APART uint64_t descend(struct deep *d, unsigned depth)
{
	uint64_t before = d->path ^ depth;

	if (depth == DEEP)
		before += bottom(d);
	else if (depth >= DEEP - PATH_BITS && d->path >> (DEEP - 1 - depth) & 1)
		before += 3 * descend(d, depth + 1);
	else
		before ^= descend(d, depth + 1);
	return before + depth;
}

/* deep PAIRS SIZES IS_LOOP */
static int deep(char **argv)
{
	struct deep d = { .pairs = number(argv, 0),
			  .sizes = (unsigned)number(argv, 1),
			  .is_loop = (int)number(argv, 2),
			  .state = 88172645463325252u };

	while (d.i < d.pairs) {
		d.path = random_next(&d.state);
		descend(&d, 3);
	}
	return 0;
}

/* grow VECTORS: each by 64 bytes, 1000 times */
static int grow(char **argv)
{
	uint64_t i, n = number(argv, 0);
	unsigned step;

	for (i = 0; i < n; i++) {
		char *p = NULL;

		for (step = 1; step <= 1000; step++) {
			p = realloc(p, step * 64);
			p[step * 64 - 1] = 1;
		}
		free(p);
	}
	return 0;
}

/* live BLOCKS: all of them live, then freed in random order */
static int live(char **argv)
{
	uint64_t i, n = number(argv, 0), state = 88172645463325252u;
	void **block = malloc(n * sizeof(*block));

	for (i = 0; i < n; i++) {
		block[i] = malloc(16 + random_next(&state) % 100);
		*(char *)block[i] = 1;
	}
	for (i = n; i > 1; i--) {
		uint64_t j = random_next(&state) % i;
		void *p = block[j];

		block[j] = block[i - 1];
		free(p);
	}
	free(block[0]);
	free(block);
	return 0;
}

static struct {
	uint64_t pairs;
	void *_Atomic slot[EXCHANGE_SLOTS];
} shared;

static void *cross_thread(void *seed)
{
	uint64_t i, state = (uint64_t)(uintptr_t)seed * 0x9E3779B97F4A7C15u | 1;

	for (i = 0; i < shared.pairs; i++) {
		uint64_t r = random_next(&state);

		free(atomic_exchange(&shared.slot[r % EXCHANGE_SLOTS],
				     malloc(16 + (r >> 32) % 200)));
	}
	return NULL;
}

static void *own_thread(void *seed)
{
	uint64_t i, state = (uint64_t)(uintptr_t)seed | 1;

	for (i = 0; i < shared.pairs; i++)
		free(malloc(16 + random_next(&state) % 200));
	return NULL;
}

static void run_threads(unsigned count, void *(*function)(void *))
{
	pthread_t thread[THREADS_MAX];
	unsigned i;

	for (i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, function, (void *)(uintptr_t)(i + 1)))
			exit(1);
	for (i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

/* cross THREADS PAIRS, own THREADS PAIRS: pairs of each thread */
static int threads_of(char **argv, void *(*function)(void *))
{
	uint64_t count = number(argv, 0);
	unsigned i;

	shared.pairs = number(argv, 1);
	run_threads(count < THREADS_MAX ? (unsigned)count : THREADS_MAX, function);
	for (i = 0; i < EXCHANGE_SLOTS; i++)
		free(shared.slot[i]);
	return 0;
}

static int cross(char **argv)
{
	return threads_of(argv, cross_thread);
}

static int own(char **argv)
{
	return threads_of(argv, own_thread);
}

static void *short_thread(void *unused)
{
	unsigned i;

	(void)unused;
	for (i = 0; i < 10; i++)
		free(malloc(16 + 16 * i));
	return NULL;
}

/* threads COUNT, one after the other */
static int threads(char **argv)
{
	uint64_t i, n = number(argv, 0);

	for (i = 0; i < n; i++)
		run_threads(1, short_thread);
	return 0;
}

struct listing {
	char **path;
	size_t count, room;
	struct listing **below;
	size_t below_count;
};

static char *join(const char *directory, const char *name)
{
	size_t a = strlen(directory), b = strlen(name);
	char *path = malloc(a + b + 2);

	memcpy(path, directory, a);
	path[a] = '/';
	memcpy(path + a + 1, name, b + 1);
	return path;
}

static struct listing *list(const char *directory)
{
	struct listing *l = calloc(1, sizeof(*l));
	DIR *stream = opendir(directory);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		path = join(directory, entry->d_name);
		if (l->count == l->room) {
			l->room = l->room ? 2 * l->room : 8;
			l->path = realloc(l->path, l->room * sizeof(*l->path));
		}
		l->path[l->count++] = path;
		if (entry->d_type != DT_DIR)
			continue;
		l->below = realloc(l->below, (l->below_count + 1) * sizeof(*l->below));
		l->below[l->below_count++] = list(path);
	}
	if (stream)
		closedir(stream);
	return l;
}

static uint64_t drop(struct listing *l)
{
	uint64_t count = l->count;
	size_t i;

	for (i = 0; i < l->count; i++)
		free(l->path[i]);
	for (i = 0; i < l->below_count; i++)
		count += drop(l->below[i]);
	free(l->path);
	free(l->below);
	free(l);
	return count;
}

/* walk DIRECTORY TIMES */
static int walk(char **argv)
{
	uint64_t i, n = number(argv, 1), entries = 0;

	for (i = 0; i < n; i++)
		entries += drop(list(argv[0]));
	return entries < n; /* an empty tree is a mistake */
}

static const struct {
	const char *name;
	int (*function)(char **argv);
} works[] = {
	{ "empty", empty }, { "tight", tight },     { "deep", deep },
	{ "grow", grow },   { "live", live },       { "cross", cross },
	{ "own", own },     { "threads", threads }, { "walk", walk },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(works) / sizeof(*works); i++)
		if (!strcmp(works[i].name, argv[1]))
			return works[i].function(argv + 2);
	fprintf(stderr, "work: which?\n");
	return 2;
}
