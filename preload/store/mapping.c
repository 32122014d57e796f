/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/mapping.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/sys/syscall.h"
#include "preload/trace/format.h"

#define MAPPINGS_MAX 2048u

static struct {
	struct {
		uint8_t *base;
		uint64_t bytes, offset;
		enum mapping_kind kind;
	} entry[MAPPINGS_MAX];
	uint32_t count, told;
} mappings;

static void advise(long at, uint64_t bytes)
{
	sys_call3(SYS_madvise, at, bytes, MADV_DONTFORK);
	/* else the first touch of a hole fills megabytes of the page cache around it */
	sys_call3(SYS_madvise, at, bytes, MADV_RANDOM);
}

static uint8_t *keep(long at, uint64_t bytes, uint64_t offset, enum mapping_kind kind)
{
	advise(at, bytes);
	mappings.entry[mappings.count].base = (uint8_t *)at;
	mappings.entry[mappings.count].bytes = bytes;
	mappings.entry[mappings.count].offset = offset;
	mappings.entry[mappings.count].kind = kind;
	mappings.count++;
	return (uint8_t *)at;
}

uint8_t *mapping_new(int fd, uint64_t offset, uint64_t bytes, enum mapping_kind kind, int *error)
{
	long at = sys_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    (long)offset);

	if (sys_is_error(at) || mappings.count == MAPPINGS_MAX) {
		*error = (int)at;
		return NULL;
	}
	return keep(at, bytes, offset, kind);
}

/* Its place among the entries; count: none. */
static uint32_t find(const uint8_t *base)
{
	uint32_t i;

	for (i = 0; i < mappings.count && mappings.entry[i].base != base; i++)
		;
	return i;
}

static long show(long at, uint64_t bytes, uint64_t offset)
{
	return sys_call5(SYS_remap_file_pages, at, bytes, 0, offset / XT_PAGE_BYTES, MAP_NONBLOCK);
}

int mapping_move(uint8_t *base, uint64_t offset)
{
	const uint32_t i = find(base);
	long result;

	if (i == mappings.count)
		return -ENOENT;
	result = show((long)base, mappings.entry[i].bytes, offset);
	if (result < 0)
		return (int)result;
	advise((long)base, mappings.entry[i].bytes);
	mappings.entry[i].offset = offset;
	return 0;
}

/* Where a page is mapped that a long mapping in between reaches; or, with no addresses for that,
 * where another part of the file was. A negative errno. */
static long map_far(const uint8_t *page, uint64_t distance, uint64_t bytes, uint64_t offset)
{
	const uint64_t between_bytes = distance + XT_PAGE_BYTES;
	long between, at;

	between = sys_call4(SYS_mremap, page, 0, between_bytes, MREMAP_MAYMOVE);
	if (!sys_is_error(between)) {
		at = sys_call4(SYS_mremap, between + (long)distance, 0, bytes, MREMAP_MAYMOVE);
		sys_call2(SYS_munmap, between, between_bytes);
		return at;
	}
	at = sys_call4(SYS_mremap, page, 0, bytes, MREMAP_MAYMOVE);
	if (!sys_is_error(at) && show(at, bytes, offset) < 0) {
		sys_call2(SYS_munmap, at, bytes);
		return -ENOMEM;
	}
	return at;
}

uint8_t *mapping_again(uint8_t *known, uint64_t known_offset, uint64_t known_bytes, uint64_t offset,
		       uint64_t bytes, enum mapping_kind kind)
{
	const uint64_t last = known_offset + known_bytes - XT_PAGE_BYTES;
	long at;

	if (mappings.count == MAPPINGS_MAX)
		return NULL;
	if (offset <= last)
		at = sys_call4(SYS_mremap, known + (offset - known_offset), 0, bytes,
			       MREMAP_MAYMOVE);
	else
		at = map_far(known + (last - known_offset), offset - last, bytes, offset);
	return sys_is_error(at) ? NULL : keep(at, bytes, offset, kind);
}

void mapping_free(uint8_t *base)
{
	const uint32_t i = find(base);

	if (i == mappings.count)
		return;
	sys_call2(SYS_munmap, base, mappings.entry[i].bytes);
	mappings.entry[i] = mappings.entry[--mappings.count];
	if (mappings.told > mappings.count)
		mappings.told = mappings.count;
}

void mapping_free_all(void)
{
	while (mappings.count)
		mapping_free(mappings.entry[mappings.count - 1].base);
}

void mapping_forget_all(void)
{
	mappings.count = 0;
	mappings.told = 0;
}

void mapping_tell(void (*fn)(uint64_t, uint64_t, uint32_t))
{
	while (mappings.told < mappings.count) {
		const uint32_t i = mappings.told++;
		const uint64_t start = (uint64_t)(uintptr_t)mappings.entry[i].base;

		fn(start, start + mappings.entry[i].bytes, 1);
	}
}

static void lay(uint32_t i, int flags)
{
	sys_call6(SYS_mmap, (long)mappings.entry[i].base, (long)mappings.entry[i].bytes,
		  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1,
		  0);
}

void mapping_lay_private(void)
{
	uint32_t i;

	for (i = 0; i < mappings.count; i++)
		lay(i, MAP_FIXED_NOREPLACE);
}

void mapping_drop_windows(uint64_t offset)
{
	uint32_t i;

	for (i = 0; i < mappings.count; i++) {
		if (mappings.entry[i].kind != MAPPING_LATE_WINDOW)
			continue;
		if (mappings.entry[i].offset >= offset)
			sys_call3(SYS_madvise, mappings.entry[i].base, mappings.entry[i].bytes,
				  MADV_REMOVE);
		lay(i, MAP_FIXED);
	}
}
