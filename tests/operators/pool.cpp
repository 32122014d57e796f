/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that carve blocks out of one that they have from malloc. */
#include <cstdlib>
#include <new>

static char *pool;
static std::size_t used = 32;

void *operator new(std::size_t size)
{
	void *block;

	if (!pool)
		pool = (char *)malloc(65536);
	if (!pool || used + size > 65536)
		throw std::bad_alloc();
	block = pool + used;
	used += (size + 15) & ~(std::size_t)15;
	return block;
}
void operator delete(void *) noexcept
{
}
void operator delete(void *, std::size_t) noexcept
{
}
