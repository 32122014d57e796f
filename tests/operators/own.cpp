/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An allocator that implements operator new and delete, and free_sized, without malloc. */
#include <cstddef>
#include <new>

static char arena[1 << 24];
static std::size_t used;

static void *take(std::size_t size, std::size_t align = 16)
{
	used = (used + align - 1) & ~(align - 1);
	if (size > sizeof(arena) - used)
		return nullptr;
	void *block = arena + used;
	used += size ? size : 1;
	return block;
}

static void *take_or_throw(std::size_t size, std::size_t align = 16)
{
	void *block = take(size, align);
	if (!block)
		throw std::bad_alloc();
	return block;
}

void *operator new(std::size_t size)
{
	return take_or_throw(size);
}
void *operator new[](std::size_t size)
{
	return take_or_throw(size);
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
	return take(size);
}
void *operator new(std::size_t size, std::align_val_t align)
{
	return take_or_throw(size, (std::size_t)align);
}
void operator delete(void *) noexcept
{
}
void operator delete[](void *) noexcept
{
}
void operator delete(void *, std::size_t) noexcept
{
}
void operator delete(void *, std::size_t, std::align_val_t) noexcept
{
}
extern "C" void free_sized(void *, std::size_t)
{
}
