/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An allocator in whose aligned_alloc a pause begins, as another thread may have it do: the
 * recorder's hook began before that, and writes after it. */
#include <stddef.h>

#include "preload/xalloc.h"

extern void *__libc_memalign(size_t align, size_t size);
void *aligned_alloc(size_t align, size_t size);

void *aligned_alloc(size_t align, size_t size)
{
	xalloc_pause();
	return __libc_memalign(align, size);
}
