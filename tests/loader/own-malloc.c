/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program with a malloc of its own: exported as it stands; with LOCAL static; by -Dmalloc=NAME
 * under another name. Prints whether its blocks are its own. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#ifdef LOCAL
#define SCOPE static
#else
#define SCOPE
#endif

static char pool[1 << 20];
static size_t used;

SCOPE __attribute__((noinline)) void *malloc(size_t bytes)
{
	size_t *block = (size_t *)(void *)(pool + used);

	if (bytes > sizeof(pool) - used - 32)
		return NULL;
	used += (bytes + 31) & ~15ul;
	*block = bytes;
	return block + 2;
}

#if !defined(LOCAL) && !defined(malloc)
void free(void *p)
{
	(void)p;
}

void *calloc(size_t n, size_t bytes)
{
	return malloc(n * bytes);
}

void *realloc(void *p, size_t bytes)
{
	void *fresh = malloc(bytes);
	size_t had = p ? ((size_t *)p)[-2] : 0;

	if (fresh && p)
		memcpy(fresh, p, had < bytes ? had : bytes);
	return fresh;
}
#endif

int main(void)
{
	static const char yes[] = "its own\n", no[] = "another's\n";
	char *volatile p = malloc(1000);
	const int is_own = p > pool && p < pool + sizeof(pool);

	return write(1, is_own ? yes : no, is_own ? sizeof(yes) - 1 : sizeof(no) - 1) < 0;
}
