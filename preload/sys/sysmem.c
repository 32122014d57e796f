/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/sysmem.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "preload/sys/syscall.h"

#define RANGES_MAX 256

void (*sysmem_watch)(uintptr_t start, uintptr_t end);

static struct {
	_Atomic uintptr_t start;
	uintptr_t end;
} ranges[RANGES_MAX];

static void *map(size_t bytes, int protection)
{
	long at;
	unsigned i;

	bytes = (bytes + 4095) & ~(size_t)4095;
	at = sys_call6(SYS_mmap, 0, (long)bytes, protection,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_is_error(at))
		return NULL;
	sys_call3(SYS_madvise, at, bytes, MADV_NOHUGEPAGE);
	for (i = 0; i < RANGES_MAX; i++) {
		uintptr_t none = 0;

		if (atomic_compare_exchange_strong(&ranges[i].start, &none, (uintptr_t)at)) {
			ranges[i].end = (uintptr_t)at + bytes;
			break;
		}
	}
	if (sysmem_watch)
		sysmem_watch((uintptr_t)at, (uintptr_t)at + bytes);
	return (void *)at;
}

void *sysmem_new(size_t bytes)
{
	return map(bytes, PROT_READ | PROT_WRITE);
}

void *sysmem_reserve(size_t bytes)
{
	return map(bytes, PROT_NONE);
}

int sysmem_use(void *start, size_t bytes)
{
	return (int)sys_call3(SYS_mprotect, start, bytes, PROT_READ | PROT_WRITE);
}

void sysmem_free(void *start, size_t bytes)
{
	unsigned i;

	for (i = 0; i < RANGES_MAX; i++)
		if (ranges[i].start == (uintptr_t)start)
			ranges[i].start = 0;
	sys_call2(SYS_munmap, start, (bytes + 4095) & ~(size_t)4095);
}

void sysmem_each(void (*fn)(uintptr_t, uintptr_t))
{
	unsigned i;

	for (i = 0; i < RANGES_MAX; i++)
		if (ranges[i].start && ranges[i].end)
			fn(ranges[i].start, ranges[i].end);
}
