/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "analyzer/base/number.h"

#define HUGE_BYTES ((uintptr_t)2 << 20)

static size_t page_up(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

static uint64_t limit_bytes; /* 0: none */

void mem_limit(uint64_t bytes)
{
	const struct rlimit limit = { bytes, bytes };

	if (bytes && !setrlimit(RLIMIT_DATA, &limit))
		limit_bytes = bytes;
}

void out_of_memory(size_t size)
{
	if (limit_bytes)
		fprintf(stderr, "xalloc-report: more memory is needed than --mem-limit %" PRIu64
			" allows\n", limit_bytes);
	else
		fprintf(stderr, "xalloc-report: out of memory (%s asked for)\n",
			number_of(size, "byte").text);
	exit(2);
}

void *xmalloc(size_t size)
{
	void *block = malloc(size ? size : 1);

	if (!block)
		out_of_memory(size);
	return block;
}

void *xcalloc(size_t count, size_t size)
{
	void *block = calloc(count ? count : 1, size ? size : 1);

	if (!block)
		out_of_memory(count * size);
	return block;
}

void *xrealloc(void *old, size_t size)
{
	void *block = realloc(old, size ? size : 1);

	if (!block)
		out_of_memory(size);
	return block;
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory(SIZE_MAX);
	return xrealloc(old, bytes);
}

void *xrealloclarge(void *old, size_t count, size_t size)
{
	void *block = xreallocarray(old, count, size);
	const uintptr_t start = ((uintptr_t)block + HUGE_BYTES - 1) & -HUGE_BYTES;
	const uintptr_t end = ((uintptr_t)block + count * size) & -HUGE_BYTES;

	/* Only advice: where it is not taken all works the same, slower. */
	if (end > start)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	return block;
}

void *mem_map(size_t bytes, bool is_huge)
{
	const size_t more = is_huge && bytes >= HUGE_BYTES ? HUGE_BYTES : 0;
	char *memory = mmap(NULL, page_up(bytes) + more, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start;

	if (memory == MAP_FAILED)
		out_of_memory(bytes);
	if (!more)
		return memory;
	start = (char *)(((uintptr_t)memory + HUGE_BYTES - 1) & -HUGE_BYTES);
	if (start > memory)
		munmap(memory, (size_t)(start - memory));
	if (memory + more > start)
		munmap(start + page_up(bytes), (size_t)(memory + more - start));
	madvise(start, bytes, MADV_HUGEPAGE);
	return start;
}

void mem_unmap(void *memory, size_t bytes)
{
	munmap(memory, bytes);
}

char *xstrdup(const char *text)
{
	const size_t size = strlen(text) + 1;

	return memcpy(xmalloc(size), text, size);
}

char *xstrndup(const char *text, size_t size)
{
	const size_t length = strnlen(text, size);
	char *copy = xmalloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0)
		out_of_memory(0);
	return text;
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "BUG: %s:%d: ", file, line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}
