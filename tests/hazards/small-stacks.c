/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * small-stacks ROUNDS: stacks with no room to spare: threads with PTHREAD_STACK_MIN, and coroutines
 * on 4 KB with a page without access below, on which threads also make their first call, and enough
 * calls to fill what the recorder fills.
 */
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/hazards/hazard.h"

#define THREADS 8
#define PAGE 4096

static int rounds;
static __thread ucontext_t outside, inside;

static SITE void others(size_t n)
{
	void *p = calloc(1, n), *q = NULL;

	NEED(p);
	p = realloc(p, 2 * n);
	NEED(p && !posix_memalign(&q, 64, n));
	__atomic_fetch_add(&hazard_calls, 3, __ATOMIC_RELAXED);
	free(p);
	free(q);
	NOT_LAST;
}

static SITE void nest(int n)
{
	take((size_t)n + 1);
	if (n)
		nest(n - 1);
	else
		others(30);
	NOT_LAST;
}

static void coroutine(void)
{
	int i;

	for (i = 0; i < rounds; i++)
		nest(i % 6);
}

static void run_coroutine(void)
{
	char *memory =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(memory != MAP_FAILED && !mprotect(memory, PAGE, PROT_NONE));
	NEED(!getcontext(&inside));
	inside.uc_stack.ss_sp = memory + PAGE;
	inside.uc_stack.ss_size = PAGE;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	NEED(!swapcontext(&outside, &inside));
	NEED(!munmap(memory, 2 * PAGE));
}

static void *thread(void *arg)
{
	if (arg)
		run_coroutine();
	nest(10);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t threads[THREADS];
	long i;

	rounds = argc == 2 ? atoi(argv[1]) : 0;
	NEED(rounds > 0);
	NEED(!pthread_attr_init(&attributes));
	NEED(!pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)));
	run_coroutine();
	for (i = 0; i < THREADS; i++) {
		NEED(!pthread_create(&threads[i], &attributes, thread, i % 4 ? NULL : &threads[i]));
		__atomic_fetch_add(&hazard_calls, 1, __ATOMIC_RELAXED); /* its dtv */
	}
	for (i = 0; i < THREADS; i++)
		NEED(!pthread_join(threads[i], NULL));
	return hazard_end();
}
