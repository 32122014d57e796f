/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/heap_count.h"

#include "preload/trace/format.h"

#define HEAD_BYTES 8u
#define MAPPED_HEAD_BYTES 16u
#define CHUNK_MIN 32u
/* What is left of a chunk stays part of the block when it is too small for a chunk of its own;
 * aligned blocks keep one such chunk more. */
#define SPARE_MAX CHUNK_MIN

static uint64_t class_of(uint64_t usable)
{
	const uint64_t number = (usable + HEAD_BYTES - CHUNK_MIN) / 16;

	return number < HEAP_CLASSES ? UINT64_C(1) << number : 0;
}

/*
 * An aligned mapping has a part before the block: up to the page's start at least, and for an
 * alignment above a page any number of pages below the alignment, which the trace does not tell.
 */
static void mapped_sizes(uint64_t addr, uint64_t usable, uint64_t *bytes, uint64_t *slack)
{
	const uint64_t before = (addr - MAPPED_HEAD_BYTES) & (XT_PAGE_BYTES - 1);
	const uint64_t alignment = addr & -addr;

	*bytes = usable + MAPPED_HEAD_BYTES + before;
	*slack = before && alignment > XT_PAGE_BYTES ? alignment - XT_PAGE_BYTES : 0;
}

void heap_count_add(struct heap_count *count, uint64_t addr, uint64_t size, uint64_t usable)
{
	uint64_t bytes, slack;

	count->has_been_used = true;
	if (heap_is_mapped(usable)) {
		mapped_sizes(addr, usable, &bytes, &slack);
		count->mapped_bytes += bytes;
		count->mapped_slack_bytes += slack;
		count->mapped_blocks++;
		return;
	}
	count->in_use_bytes += usable + HEAD_BYTES;
	count->blocks++;
	count->classes |= class_of(usable) | class_of(heap_rule(size));
}

void heap_count_moved(struct heap_count *count, uint64_t addr)
{
	count->has_moved |= ((addr - MAPPED_HEAD_BYTES) & (XT_PAGE_BYTES - 1)) != 0;
}

void heap_count_remove(struct heap_count *count, uint64_t addr, uint64_t usable)
{
	uint64_t bytes, slack;

	if (heap_is_mapped(usable)) {
		mapped_sizes(addr, usable, &bytes, &slack);
		count->mapped_bytes -= bytes;
		count->mapped_slack_bytes -= slack;
		count->mapped_blocks--;
		return;
	}
	count->in_use_bytes -= usable + HEAD_BYTES;
	count->blocks--;
}

const char *heap_usable_wrong(uint64_t addr, uint64_t size, uint64_t usable, bool is_aligned,
			      bool is_realloc, uint64_t page_bytes)
{
	if (usable < size)
		return "less than was asked for";
	if (heap_is_mapped(usable)) {
		if ((addr + usable) % XT_PAGE_BYTES)
			return "a mapping that does not end with a page";
		/* What precedes an aligned block leaves room behind it. */
		if (!is_aligned && !is_realloc && usable - size >= page_bytes + MAPPED_HEAD_BYTES)
			return "a mapping that is larger than it need be";
		return NULL;
	}
	if (usable % 16 != 8)
		return "no multiple of 16 with its head";
	if (usable - heap_rule(size) > SPARE_MAX)
		return "more than any request of that size gets";
	return NULL;
}

uint64_t heap_count_cache_bytes(const struct heap_count *count, uint64_t chunks)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < HEAP_CLASSES; i++)
		if (count->may_split || count->classes >> i & 1)
			bytes += chunks * (CHUNK_MIN + 16 * i);
	return bytes;
}
