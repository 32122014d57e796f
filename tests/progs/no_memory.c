/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * no_memory LIMIT EVENTS: four threads wait. Under RLIMIT_AS ("as") or RLIMIT_DATA ("data") all
 * that the kernel gives is mapped, or RLIMIT_AS is less than what is mapped already ("below"); only
 * then the threads make their first event. Each makes EVENTS calls of malloc, and frees each block,
 * on stacks that differ. Then a child makes 100. Prints "CALLS BYTES" of the threads. All fits what
 * the heap had before.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define BLOCKS 16
#define BYTES_MAX 256
#define DEPTH_MAX 8

static pthread_barrier_t barrier;
static long events;
static struct {
	uint64_t calls, bytes;
	char padding[48];
} made[THREADS];

static __attribute__((noinline, noclone)) void *deeper(size_t bytes, uint32_t depth)
{
	void *block = depth ? deeper(bytes, depth - 1) : malloc(bytes);

	__asm__ volatile("" : "+r"(block));
	return block;
}

static void *work(void *arg)
{
	const uintptr_t number = (uintptr_t)arg;
	uint32_t random = 77 + (uint32_t)number;
	void *block[BLOCKS] = { NULL };
	long i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < events; i++) {
		const size_t bytes = 1 + (random >> 4) % BYTES_MAX;

		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		free(block[i % BLOCKS]);
		block[i % BLOCKS] = deeper(bytes, (random >> 12) % DEPTH_MAX);
		if (!block[i % BLOCKS])
			_exit(3);
		made[number].calls++;
		made[number].bytes += bytes;
	}
	for (i = 0; i < BLOCKS; i++)
		free(block[i]);
	return NULL;
}

/* Down to the last page. */
static void take_all(void)
{
	size_t bytes = (size_t)1 << 40;

	for (; bytes >= 4096; bytes /= 2)
		while (mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
			;
}

int main(int argc, char **argv)
{
	const struct rlimit limit = { 1ul << 30, 1ul << 30 }, low = { 1ul << 20, 1ul << 20 };
	pthread_t thread[THREADS];
	uint64_t calls = 0, bytes = 0;
	char text[64];
	uintptr_t i;
	int length, status;
	pid_t child;

	if (argc != 3)
		return 2;
	events = strtol(argv[2], NULL, 10);
	mallopt(M_ARENA_MAX, 1);
	free(malloc(100000)); /* the heap's room */
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			return 2;
	if (setrlimit(strcmp(argv[1], "data") ? RLIMIT_AS : RLIMIT_DATA,
		      strcmp(argv[1], "below") ? &limit : &low))
		return 2;
	take_all();
	pthread_barrier_wait(&barrier);
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		calls += made[i].calls;
		bytes += made[i].bytes;
	}
	child = fork();
	if (child == 0) {
		for (i = 0; i < 100; i++)
			free(deeper(i, 1));
		_exit(7);
	}
	if (waitpid(child, &status, 0) != child || status != 7 << 8)
		return 4;
	/* by the kernel: stdio would allocate */
	length = snprintf(text, sizeof(text), "%lu %lu\n", calls, bytes);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
