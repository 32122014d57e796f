/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exchange THREADS ROUNDS: threads hand blocks to each other through a table, so that nearly every
 * block is freed by another thread than its own, and its address is at once somebody else's. One arena.
 * Says how many calls were made and how many blocks the threads' stacks keep (pthread_create's).
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PLACES 1024
#define THREADS_MAX 64

static void *place[PLACES];
static unsigned long rounds;
static _Atomic unsigned long calls, frees;

static void *exchange(void *arg)
{
	uint64_t random = (uintptr_t)arg * 7919 + 1;
	unsigned long allocated = 0, freed = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		void *p;

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		p = malloc(16 + (random >> 40) % 200);
		allocated++;
		p = __atomic_exchange_n(&place[(random >> 20) % PLACES], p, __ATOMIC_ACQ_REL);
		if ((random >> 50) % 16 == 0) {
			p = realloc(p, 50 + (random >> 52));
			allocated++;
		}
		freed += p != NULL;
		free(p);
	}
	calls += allocated;
	frees += freed;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	int threads = argc == 3 ? atoi(argv[1]) : 0;
	char text[100];
	int length;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	mallopt(M_ARENA_MAX, 1);
	rounds = strtoul(argv[2], NULL, 10);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, exchange, (void *)(intptr_t)i);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < PLACES; i++) {
		frees += place[i] != NULL;
		free(place[i]);
	}
	length = snprintf(text, sizeof(text), "calls %lu\nfrees %lu\n", calls, frees);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
