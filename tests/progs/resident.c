/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resident SHAPE [MIB]: memory of a known kind and size, and then the end. What each shape adds to
 * the resident memory of `nothing` is derived in tests/rss.test.
 */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1ul << 20)
#define PAGE 4096ul
#define HUGE_PAGE (2 * MIB)
#define BLOCK 1000
#define THREADS 100
#define STATIC_MIB 32
#define NEED(condition)                     \
	do {                                \
		if (!(condition)) {         \
			perror(#condition); \
			_exit(99);          \
		}                           \
	} while (0)

static char large[STATIC_MIB * MIB];
static volatile char sink;

static void write_pages(char *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += PAGE)
		((volatile char *)from)[at] = 1;
}

static void read_pages(const char *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += PAGE)
		sink = ((const volatile char *)from)[at];
}

static char *map(size_t bytes, int flags, int fd)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	NEED(at != MAP_FAILED);
	return at;
}

static char *map_anonymous(size_t bytes)
{
	return map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void nothing(size_t bytes)
{
	(void)bytes;
}

static void untouched(size_t bytes)
{
	NEED(calloc(bytes, 1));
}

/* Each page is the zero page, which counts for nobody. */
static void zeros(size_t bytes)
{
	char *at = calloc(bytes, 1);

	NEED(at);
	read_pages(at, bytes);
}

/* In the heap of brk, whose top stays in use. */
static void fill_heap(size_t bytes)
{
	static char *block[64 * MIB / BLOCK];
	const size_t count = bytes / BLOCK;

	NEED(mallopt(M_MMAP_THRESHOLD, 32 * MIB) && mallopt(M_TOP_PAD, 0));
	for (size_t i = 0; i < count; i++) {
		NEED(block[i] = malloc(BLOCK));
		memset(block[i], 1, BLOCK);
	}
	for (size_t i = 0; i + 1 < count; i++)
		free(block[i]);
}

static void freed(size_t bytes)
{
	fill_heap(bytes);
}

static void trimmed(size_t bytes)
{
	fill_heap(bytes);
	malloc_trim(0);
}

/* A block of 24 bytes on each page of what was full of them. */
static void fragmented(size_t bytes)
{
	const size_t count = bytes / 32;
	void **last = NULL, **next;

	NEED(mallopt(M_TOP_PAD, 0));
	for (size_t i = 0; i < count; i++) {
		NEED(next = malloc(24));
		*next = last;
		last = next;
	}
	for (size_t i = 0; last; i++, last = next) {
		next = *last;
		if (i % (PAGE / 32))
			free(last);
	}
}

static void grown(size_t bytes)
{
	char *at = sbrk((intptr_t)bytes);

	NEED(at != (void *)-1);
	write_pages(at, bytes);
}

static void anonymous(size_t bytes)
{
	write_pages(map_anonymous(bytes), bytes);
}

static void not_needed(size_t bytes)
{
	char *at = map_anonymous(bytes);

	write_pages(at, bytes);
	usleep(100000);
	NEED(madvise(at, bytes, MADV_DONTNEED) == 0);
}

/* Between two samples. */
static void spike(size_t bytes)
{
	char *at = map_anonymous(bytes);

	write_pages(at, bytes);
	NEED(munmap(at, bytes) == 0);
}

static void *spike_once(void *bytes)
{
	spike((size_t)bytes);
	return NULL;
}

/* The same in a thread, and a smaller one in a child. */
static void thread_spike(size_t bytes)
{
	pthread_t thread;
	const pid_t child = fork();

	NEED(child >= 0);
	if (child == 0) {
		spike(bytes / 2);
		_exit(0);
	}
	NEED(waitpid(child, NULL, 0) == child);
	NEED(pthread_create(&thread, NULL, spike_once, (void *)bytes) == 0);
	NEED(pthread_join(thread, NULL) == 0);
}

static void lazily_freed(size_t bytes)
{
	char *at = map_anonymous(bytes);

	write_pages(at, bytes);
	NEED(madvise(at, bytes, MADV_FREE) == 0);
}

/* One byte in each 2 MiB. */
static void sparse(size_t bytes, int advice)
{
	char *at = map_anonymous(bytes + HUGE_PAGE);

	at = (char *)(((uintptr_t)at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	NEED(madvise(at, bytes, advice) == 0);
	for (size_t i = 0; i < bytes; i += HUGE_PAGE)
		at[i] = 1;
}

static void huge(size_t bytes)
{
	NEED(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) == 0);
	sparse(bytes, MADV_HUGEPAGE);
}

static void not_huge(size_t bytes)
{
	NEED(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) == 0);
	sparse(bytes, MADV_NOHUGEPAGE);
}

/* The same of a block that glibc has mapped for itself: as its tunables say. */
static void sparse_block(size_t bytes)
{
	volatile char *at = malloc(bytes);

	NEED(at && prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) == 0);
	for (size_t i = 0; i < bytes; i += HUGE_PAGE)
		at[i] = 1;
}

/* A file of that size in the working directory, all of it written before. */
static int open_file(size_t bytes)
{
	const int fd = open("resident.data", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char part[MIB];

	NEED(fd >= 0);
	for (size_t at = 0; at < bytes; at += sizeof(part))
		NEED(write(fd, part, sizeof(part)) == sizeof(part));
	return fd;
}

static void file_read(size_t bytes)
{
	read_pages(map(bytes, MAP_PRIVATE, open_file(bytes)), bytes);
}

static void file_private(size_t bytes)
{
	write_pages(map(bytes, MAP_PRIVATE, open_file(bytes)), bytes);
}

static void file_shared(size_t bytes)
{
	write_pages(map(bytes, MAP_SHARED, open_file(bytes)), bytes);
}

static void shared(size_t bytes)
{
	write_pages(map(bytes, MAP_SHARED | MAP_ANONYMOUS, -1), bytes);
}

static void memfd(size_t bytes)
{
	const int fd = memfd_create("resident", MFD_CLOEXEC);

	NEED(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
	write_pages(map(bytes, MAP_SHARED, fd), bytes);
}

/* Both have all of it resident for a while. */
static void two(size_t bytes)
{
	char *at = map(bytes, MAP_SHARED | MAP_ANONYMOUS, -1);
	pid_t child;

	write_pages(at, bytes);
	child = fork();
	NEED(child >= 0);
	read_pages(at, bytes);
	usleep(600000);
	if (child == 0)
		_exit(0);
	NEED(waitpid(child, NULL, 0) == child);
}

/* A child with all of this memory, of which it has none of its own. */
static void vforked(size_t bytes)
{
	pid_t child;

	anonymous(bytes);
	child = vfork();
	NEED(child >= 0);
	if (child == 0) {
		usleep(200000);
		execlp("sleep", "sleep", "0.2", (char *)NULL);
		_exit(99);
	}
	NEED(waitpid(child, NULL, 0) == child);
}

static void static_array(size_t bytes)
{
	write_pages(large, bytes < sizeof(large) ? bytes : sizeof(large));
}

static __attribute__((noinline)) void deep(size_t bytes)
{
	volatile char frame[PAGE];

	frame[0] = 1;
	if (bytes > sizeof(frame))
		deep(bytes - sizeof(frame));
	sink = frame[0];
}

/* By raw system calls, behind every library's back; then stack. */
static void by_hand(size_t bytes)
{
	const long at = syscall(SYS_mmap, NULL, 4 * bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(at > 0 && malloc(1));
	write_pages((char *)at, 4 * bytes);
	deep(bytes);
}

static pthread_barrier_t barrier;
static size_t thread_bytes;

static void *use_stack(void *unused)
{
	deep(thread_bytes);
	pthread_barrier_wait(&barrier);
	usleep(1000000); /* the process ends meanwhile */
	return unused;
}

/* bytes of each of the stacks. */
static void threads(size_t bytes)
{
	pthread_t thread;

	thread_bytes = bytes / THREADS;
	NEED(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
	for (int i = 0; i < THREADS; i++)
		NEED(pthread_create(&thread, NULL, use_stack, NULL) == 0);
	pthread_barrier_wait(&barrier);
}

static void *use_arena(void *bytes)
{
	for (size_t at = 0; at < *(size_t *)bytes; at += BLOCK + 8) {
		char *block = malloc(BLOCK);

		NEED(block);
		memset(block, 1, BLOCK);
	}
	pthread_barrier_wait(&barrier);
	usleep(1000000);
	return NULL;
}

static void arena(size_t bytes)
{
	pthread_t thread;

	NEED(pthread_barrier_init(&barrier, NULL, 2) == 0);
	NEED(pthread_create(&thread, NULL, use_arena, &bytes) == 0);
	pthread_barrier_wait(&barrier);
}

/* Pages come and are used for some two seconds; then what it took, in nanoseconds. */
static void work(size_t bytes)
{
	char *at = map_anonymous(bytes);
	const size_t step = bytes / 64;
	struct timespec took;
	unsigned sum = 0;

	for (size_t i = 0; i < 64; i++) {
		write_pages(at + i * step, step);
		for (unsigned n = 0; n < 20000000; n++)
			sum = sum * 31 + n;
		sink = (char)sum;
	}
	NEED(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &took) == 0);
	printf("%lld\n", took.tv_sec * 1000000000ll + took.tv_nsec);
	fflush(stdout);
}

static const struct shape {
	const char *name;
	void (*make)(size_t bytes);
} shapes[] = {
	{ "nothing", nothing },
	{ "untouched", untouched },
	{ "zeros", zeros },
	{ "freed", freed },
	{ "trimmed", trimmed },
	{ "fragmented", fragmented },
	{ "grown", grown },
	{ "anonymous", anonymous },
	{ "not-needed", not_needed },
	{ "spike", spike },
	{ "thread-spike", thread_spike },
	{ "lazily-freed", lazily_freed },
	{ "huge", huge },
	{ "not-huge", not_huge },
	{ "sparse-block", sparse_block },
	{ "file-read", file_read },
	{ "file-private", file_private },
	{ "file-shared", file_shared },
	{ "shared", shared },
	{ "memfd", memfd },
	{ "two", two },
	{ "vforked", vforked },
	{ "static", static_array },
	{ "deep", deep },
	{ "by-hand", by_hand },
	{ "work", work },
	{ "threads", threads },
	{ "arena", arena },
};

int main(int argc, char **argv)
{
	const size_t bytes = (argc > 2 ? strtoul(argv[2], NULL, 10) : 0) * MIB;

	NEED(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(*shapes); i++)
		if (strcmp(argv[1], shapes[i].name) == 0) {
			shapes[i].make(bytes);
			_exit(0);
		}
	fprintf(stderr, "usage: resident SHAPE [MIB]\n");
	return 2;
}
