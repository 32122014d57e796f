/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * killer FILE THREADS: allocates and frees at full speed until it is killed. FILE is mapped shared
 * and says, for each thread, what it has completed: a number is raised after the call returned, so
 * a kill finds at most one call more per thread. The last slot is main's, which pthread_create
 * makes allocate.
 *
 * A slot is 64 bytes: u64 allocation calls, u64 bytes, u64 frees.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCKS 64
#define BYTES_MAX 512

struct slot {
	_Atomic uint64_t calls, bytes, frees;
	uint64_t padding[5];
};

static struct slot *slots;

static void done(_Atomic uint64_t *number, uint64_t more)
{
	atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + more,
			      memory_order_release);
}

static __attribute__((noinline, noclone)) void allocate(struct slot *slot, void **block,
							uint32_t random)
{
	size_t bytes = 1 + random % BYTES_MAX;

	switch (random >> 29) {
	case 0:
		*block = calloc(1, bytes);
		break;
	case 1:
		*block = aligned_alloc(64, bytes);
		break;
	default:
		*block = malloc(bytes);
	}
	if (!*block)
		_exit(1);
	done(&slot->calls, 1);
	done(&slot->bytes, bytes);
}

static __attribute__((noinline, noclone)) void resize(struct slot *slot, void **block,
						      uint32_t random)
{
	size_t bytes = 1 + random % BYTES_MAX;

	*block = realloc(*block, bytes);
	if (!*block)
		_exit(1);
	done(&slot->calls, 1);
	done(&slot->bytes, bytes);
}

static __attribute__((noinline, noclone)) void give_back(struct slot *slot, void **block)
{
	free(*block);
	*block = NULL;
	done(&slot->frees, 1);
}

static void *work(void *argument)
{
	struct slot *slot = (struct slot *)argument;
	uint32_t random = 1 + (uint32_t)(slot - slots);
	void *block[BLOCKS] = { NULL };

	for (;;) {
		void **one;

		/* xorshift32: repeatable, and not rand(), which takes a lock */
		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		one = &block[(random >> 8) % BLOCKS];
		if (!*one)
			allocate(slot, one, random);
		else if (random & 1)
			give_back(slot, one);
		else
			resize(slot, one, random >> 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;
	pthread_t thread;

	if (fd < 0 || threads < 1)
		return 1;
	slots = (struct slot *)mmap(NULL, (size_t)(threads + 1) * sizeof(*slots),
				    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (slots == MAP_FAILED)
		return 1;
	close(fd);
	for (long i = 0; i < threads; i++) {
		if (pthread_create(&thread, NULL, work, &slots[i]))
			return 1;
		done(&slots[threads].calls, 1);
	}
	if (write(STDOUT_FILENO, "!", 1) != 1)
		return 1;
	for (;;)
		pause();
}
