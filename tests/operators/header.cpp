/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that keep the size in front of the block, and alignment: all upon malloc. */
#include <cstdint>
#include <cstdlib>
#include <new>

void *operator new(std::size_t size)
{
	char *p = (char *)malloc(size + 16);

	if (!p)
		throw std::bad_alloc();
	*(std::size_t *)p = size;
	return p + 16;
}
void *operator new(std::size_t size, std::align_val_t align)
{
	char *p = (char *)malloc(size + (std::size_t)align + 16);
	std::uintptr_t at = ((std::uintptr_t)p + 16 + (std::size_t)align - 1) & ~((std::uintptr_t)align - 1);

	((void **)at)[-1] = p;
	return (void *)at;
}
void operator delete(void *p) noexcept
{
	if (p)
		free((char *)p - 16);
}
void operator delete(void *p, std::size_t) noexcept
{
	operator delete(p);
}
void operator delete(void *p, std::size_t, std::align_val_t) noexcept
{
	free(((void **)p)[-1]);
}

struct alignas(256) wide {
	char bytes[512];
};

int main()
{
	for (int i = 0; i < 10; i++) {
		int *volatile p = new int(i);
		wide *volatile w = new wide;

		delete p;
		delete w;
	}
	return 0;
}
