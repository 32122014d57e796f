/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lives MODE N: threads and how they live and end. Says how many calls it made, and how many bytes
 * it asked for, in calls of its own (libc's for a thread come on top). MODE:
 * "short": N threads, eight at a time, that allocate and free once;
 * "small": N threads on the smallest stack that there may be;
 * "destructors": N threads whose thread-specific data, TLS destructors and cleanup handlers
 * allocate and free, while they end; "cancelled": N threads that allocate until they are cancelled,
 * at some moment; "detached": N detached threads that go on while the process exits; "shared": 64
 * threads do malloc, realloc and free on shared blocks for N milliseconds, in one arena. Says, too,
 *   between what the peak lies: `least` counts a block from the return of its malloc to the call of
 * its free, `most` from the call to the return.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define AT_A_TIME 8
#define SHARED_THREADS 64
#define PLACES 1024

static _Atomic unsigned long calls, bytes;

__attribute__((noinline)) static void *allocate(size_t size)
{
	void *p = malloc(size);

	calls++;
	bytes += size;
	return p;
}

static void *once(void *arg)
{
	free(allocate(20 + (uintptr_t)arg % 100));
	return NULL;
}

/* What runs when a thread ends. */
int __cxa_thread_atexit_impl(void (*function)(void *), void *arg, void *dso);
extern void *__dso_handle;
static pthread_key_t key;

static void end_of_key(void *p)
{
	free(p);
	free(allocate(31));
}

static void end_of_tls(void *p)
{
	free(p);
	free(allocate(32));
}

static void end_by_cleanup(void *p)
{
	free(p);
	free(allocate(33));
}

static void *destructors(void *arg)
{
	pthread_setspecific(key, allocate(41));
	__cxa_thread_atexit_impl(end_of_tls, allocate(42), &__dso_handle);
	pthread_cleanup_push(end_by_cleanup, allocate(43));
	if ((uintptr_t)arg % 2)
		pthread_exit(NULL);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *until_cancelled(void *arg)
{
	pthread_cleanup_push(end_by_cleanup, allocate(50));
	for (size_t i = (uintptr_t)arg;; i++) {
		free(allocate(60 + i % 1000));
		pthread_testcancel();
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void *for_ever(void *arg)
{
	for (size_t i = (uintptr_t)arg;; i++)
		free(allocate(60 + i % 1000));
	return NULL;
}

static void sleep_ns(long ns)
{
	const struct timespec time = { 0, ns };

	nanosleep(&time, NULL);
}

static void run(unsigned long wanted, void *(*function)(void *), size_t stack_bytes, int cancels)
{
	pthread_t thread[AT_A_TIME];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	if (stack_bytes)
		pthread_attr_setstacksize(&attr, stack_bytes);
	for (unsigned long i = 0; i < wanted; i += AT_A_TIME) {
		for (unsigned long k = 0; k < AT_A_TIME; k++)
			if (pthread_create(&thread[k], &attr, function, (void *)(i + k)) != 0)
				abort();
		for (unsigned long k = 0; cancels && k < AT_A_TIME; k++) {
			sleep_ns((long)((i * 7919 + k * 104729) % 300000));
			pthread_cancel(thread[k]);
		}
		for (unsigned long k = 0; k < AT_A_TIME; k++)
			pthread_join(thread[k], NULL);
	}
}

/* The shared blocks: an address with its size in front. */
static uint64_t *place[PLACES];
static _Atomic unsigned long least, most, greatest_least, greatest_most;
static _Atomic int is_over;

static void raise_to(_Atomic unsigned long *greatest, unsigned long value)
{
	unsigned long seen = *greatest;

	while (seen < value && !__atomic_compare_exchange_n(greatest, &seen, value, 1,
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void *share(void *arg)
{
	uint64_t random = (uintptr_t)arg * 7919 + 1;

	while (!is_over) {
		uint64_t *p, size;

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		size = 16 + (random >> 40) % 200;
		raise_to(&greatest_most, most += size);
		p = allocate(size);
		*p = size;
		raise_to(&greatest_least, least += size);
		p = __atomic_exchange_n(&place[(random >> 20) % PLACES], p, __ATOMIC_ACQ_REL);
		if (!p)
			continue;
		if ((random >> 50) % 4 == 0) {
			const uint64_t old = *p;

			size = 50 + (random >> 52);
			raise_to(&greatest_most, most += size);
			least -= old;
			p = realloc(p, size);
			calls++;
			bytes += size;
			*p = size;
			raise_to(&greatest_least, least += size);
			most -= old;
		}
		size = *p;
		least -= size;
		free(p);
		most -= size;
	}
	return NULL;
}

static void run_shared(unsigned long milliseconds)
{
	pthread_t thread[SHARED_THREADS];

	mallopt(M_ARENA_MAX, 1);
	for (uintptr_t i = 0; i < SHARED_THREADS; i++)
		pthread_create(&thread[i], NULL, share, (void *)i);
	usleep((useconds_t)milliseconds * 1000);
	is_over = 1;
	for (int i = 0; i < SHARED_THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < PLACES; i++)
		free(place[i]);
}

static void run_detached(unsigned long wanted)
{
	pthread_t thread;

	for (unsigned long i = 0; i < wanted; i++)
		if (pthread_create(&thread, NULL, for_ever, (void *)i) == 0)
			pthread_detach(thread);
	while (calls < 20000)
		sleep_ns(100000);
}

int main(int argc, char **argv)
{
	const unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	char text[200];
	int length;

	if (!n)
		return 2;
	if (strcmp(argv[1], "short") == 0) {
		run(n, once, 0, 0);
	} else if (strcmp(argv[1], "small") == 0) {
		run(n, once, (size_t)sysconf(_SC_THREAD_STACK_MIN), 0);
	} else if (strcmp(argv[1], "destructors") == 0) {
		pthread_key_create(&key, end_of_key);
		run(n, destructors, 0, 0);
	} else if (strcmp(argv[1], "cancelled") == 0) {
		run(n, until_cancelled, 0, 1);
	} else if (strcmp(argv[1], "detached") == 0) {
		run_detached(n);
	} else if (strcmp(argv[1], "shared") == 0) {
		run_shared(n);
	} else {
		return 2;
	}
	length = snprintf(text, sizeof(text), "calls %lu\nbytes %lu\nleast %lu\nmost %lu\n", calls,
			  bytes, greatest_least, greatest_most);
	if (write(STDOUT_FILENO, text, (size_t)length) != length)
		return 1;
	exit(0);
}
