/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * killer FILE THREADS [WAY]: allocates and frees at full speed until it is killed, or ends itself
 * in that way some ten thousand calls later: see ways[]. FILE is mapped shared and says, for each
 * thread, what it has completed: a number is raised after the call returned, so a kill finds at
 * most one call more per thread. The last slot is main's, which pthread_create makes allocate.
 * Without threads main does their work.
 *
 * A slot is 64 bytes: u64 allocation calls, u64 bytes, u64 frees.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

static struct slot *mains;

static void by_exit(void)
{
	exit(3);
}

static void by_quick_exit(void)
{
	quick_exit(3);
}

static void by__exit(void)
{
	_exit(3);
}

/* By an instruction of its own, as Go's programs do: nothing that libc has sees it. */
static void by_instruction(void)
{
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(3) : "rcx", "r11", "memory");
}

static void by_fault(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}

static void by_term(void)
{
	kill(getpid(), SIGTERM);
}

static __attribute__((noinline)) int deeper(volatile char *above)
{
	volatile char here[4096];

	here[0] = *above;
	return here[0] ? 0 : deeper(here) + here[0]; /* it is 0, which nobody knows */
}

static void by_overflow(void)
{
	char first = 0;

	_exit(deeper(&first));
}

static void *overflow(void *unused)
{
	by_overflow();
	return unused;
}

static void by_thread_overflow(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, overflow, NULL))
		_exit(2);
	done(&mains->calls, 1);
	pause();
}

static void by_exec(void)
{
	execl("/bin/true", "true", NULL);
}

static void *end_later(void *unused)
{
	usleep(20000);
	exit(3);
	return unused;
}

/* The process goes on without its first thread, and ends by another one. */
static void by_leaving(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, end_later, NULL))
		_exit(2);
	done(&mains->calls, 1);
	pthread_exit(NULL);
}

/* There is no more memory: the program sees NULL and gives up. */
static void by_memory(void)
{
	const struct rlimit limit = { 1ul << 30, 1ul << 30 };
	char *block;

	if (setrlimit(RLIMIT_AS, &limit))
		_exit(2);
	while ((block = malloc(1 << 20))) {
		block[0] = 1;
		done(&mains->calls, 1);
		done(&mains->bytes, 1 << 20);
	}
	abort();
}

/* Until the system ends it, which looks at memory that was written to. */
static void by_using_memory(void)
{
	char *block;

	while ((block = malloc(1 << 20))) {
		done(&mains->calls, 1);
		done(&mains->bytes, 1 << 20);
		memset(block, 1, 1 << 20);
	}
	_exit(2);
}

static const struct {
	const char *name;
	void (*end)(void);
} ways[] = {
	{ "exit", by_exit },
	{ "_exit", by__exit },
	{ "quick_exit", by_quick_exit },
	{ "abort", abort },
	{ "instruction", by_instruction },
	{ "fault", by_fault },
	{ "term", by_term },
	{ "overflow", by_overflow },
	{ "thread-overflow", by_thread_overflow },
	{ "exec", by_exec },
	{ "leave", by_leaving },
	{ "memory", by_memory },
	{ "use-memory", by_using_memory },
};

/* When so many calls were made, some chunks are full. */
static void await_calls(uint64_t wanted, long threads)
{
	uint64_t calls = 0;

	while (calls < wanted) {
		usleep(1000);
		calls = 0;
		for (long i = 0; i < threads; i++)
			calls += atomic_load(&slots[i].calls);
	}
}

static int end_by(const char *way)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, way))
			ways[i].end();
	return 2;
}

int main(int argc, char **argv)
{
	long threads = argc >= 3 ? strtol(argv[2], NULL, 10) : -1;
	int fd = argc >= 3 ? open(argv[1], O_RDWR) : -1;
	pthread_t thread;

	if (fd < 0 || threads < 0)
		return 1;
	slots = (struct slot *)mmap(NULL, (size_t)(threads + 1) * sizeof(*slots),
				    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (slots == MAP_FAILED)
		return 1;
	close(fd);
	mains = &slots[threads];
	for (long i = 0; i < threads; i++) {
		if (pthread_create(&thread, NULL, work, &slots[i]))
			return 1;
		done(&mains->calls, 1);
	}
	if (write(STDOUT_FILENO, "!", 1) != 1)
		return 1;
	if (argc > 3) {
		await_calls(60000, threads);
		return end_by(argv[3]);
	}
	if (!threads)
		work(mains);
	for (;;)
		pause();
}
