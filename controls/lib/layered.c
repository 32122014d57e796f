/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An allocator whose functions are made of each other, called by their public names. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *block);

void *malloc(size_t bytes)
{
	return __libc_malloc(bytes);
}

void free(void *block)
{
	__libc_free(block);
}

void *calloc(size_t n, size_t bytes)
{
	void *block = malloc(n * bytes);

	return block ? memset(block, 0, n * bytes) : NULL;
}

void *realloc(void *old, size_t bytes)
{
	size_t room = old ? malloc_usable_size(old) : 0;
	void *fresh;

	if (old && !bytes) {
		free(old);
		return NULL;
	}
	fresh = malloc(bytes);
	if (!fresh)
		return NULL;
	if (old)
		memcpy(fresh, old, room < bytes ? room : bytes);
	free(old);
	return fresh;
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return __libc_memalign(align, bytes);
}

int posix_memalign(void **block, size_t align, size_t bytes)
{
	void *p = aligned_alloc(align, bytes);

	if (!p)
		return ENOMEM;
	*block = p;
	return 0;
}
