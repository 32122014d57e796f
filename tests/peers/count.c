/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A witness beside the profilers: counts allocation calls and requested bytes, and the kinds of
 * call that a peer is known to count otherwise. Loaded by LD_PRELOAD; the counters lie in the
 * shared file named by XALLOC_OUT, so they outlive _exit. glibc's own names stand for the real
 * functions, so nothing is looked up.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);

/* in the order of WITNESS, tests/peers.py */
enum {
	CALLS,
	BYTES,
	ZERO_CALLS,
	REALLOC_ZERO_CALLS,
	MEMALIGN_CALLS,
	MEMALIGN_BYTES,
	PVALLOC_CALLS,
	PVALLOC_BYTES,
	COUNTERS
};

static uint64_t early[COUNTERS];
static uint64_t *counters = early;

/* Before libc's constructor there is no environment; what came before is carried over. */
static void open_counters(void)
{
	const char *path = environ ? getenv("XALLOC_OUT") : NULL;
	int error = errno;
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	uint64_t *shared = MAP_FAILED;

	if (fd >= 0) {
		shared = mmap(NULL, sizeof(early), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	if (shared != MAP_FAILED) {
		for (int i = 0; i < COUNTERS; i++)
			shared[i] += early[i];
		counters = shared;
	}
	errno = error;
}

static void add(int calls, int bytes, size_t size)
{
	if (counters == early)
		open_counters();
	__atomic_add_fetch(&counters[calls], 1, __ATOMIC_RELAXED);
	if (bytes >= 0)
		__atomic_add_fetch(&counters[bytes], size, __ATOMIC_RELAXED);
}

static void *count(void *block, size_t size)
{
	if (block) {
		add(CALLS, BYTES, size);
		if (size == 0)
			add(ZERO_CALLS, -1, 0);
	}
	return block;
}

__attribute__((constructor)) static void begin(void)
{
	if (counters == early)
		open_counters();
}

void *malloc(size_t size)
{
	return count(__libc_malloc(size), size);
}

void *calloc(size_t number, size_t size)
{
	return count(__libc_calloc(number, size), number * size);
}

void *realloc(void *block, size_t size)
{
	if (block && size == 0)
		add(REALLOC_ZERO_CALLS, -1, 0);
	return count(__libc_realloc(block, size), size);
}

void *reallocarray(void *block, size_t number, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(number, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, bytes);
}

void *memalign(size_t alignment, size_t size)
{
	void *block = count(__libc_memalign(alignment, size), size);

	if (block)
		add(MEMALIGN_CALLS, MEMALIGN_BYTES, size);
	return block;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return count(__libc_memalign(alignment, size), size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
	void *block;

	if (alignment % sizeof(void *) || alignment == 0 || alignment & (alignment - 1))
		return EINVAL;
	block = count(__libc_memalign(alignment, size), size);
	if (!block)
		return ENOMEM;
	*to = block;
	return 0;
}

void *valloc(size_t size)
{
	return count(__libc_valloc(size), size);
}

void *pvalloc(size_t size)
{
	void *block = count(__libc_pvalloc(size), size);

	if (block)
		add(PVALLOC_CALLS, PVALLOC_BYTES, size);
	return block;
}
