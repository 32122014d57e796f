/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/anonymous_use.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define NAMED_FRAMES 4                      /* of a stack */
#define GUARD_BYTES_MAX (UINT64_C(1) << 20) /* more is reserved address space */

static uint64_t resident_of(const struct residency *r, uint64_t start, uint64_t end)
{
	struct residency_sum sum = { .blocks = 0 };

	if (start < end)
		residency_measure(r->snapshot, start, end, &sum);
	return sum.resident;
}

static bool is_behind(const struct residency_map *map, const struct residency_map *before)
{
	return before && before->end == map->start;
}

/* Zeroed data of a module, directly behind its file's pages, and stacks of threads, above pages
 * without access, are rows of the native run. */
static bool is_elsewhere(const struct residency *r, const struct residency_map *map)
{
	const struct residency_map *before = map > r->map ? map - 1 : NULL;

	if (map->kind != RESIDENCY_OTHER || !is_behind(map, before))
		return false;
	if (before->kind == RESIDENCY_FILE)
		return true;
	return !before->is_readable && before->kind == RESIDENCY_OTHER &&
	       before->end - before->start <= GUARD_BYTES_MAX;
}

static void add_node(struct anonymous_use *use, uint32_t node, uint64_t bytes)
{
	if (use->nodes && use->node[use->nodes - 1].node == node) {
		use->node[use->nodes - 1].bytes += bytes;
		return;
	}
	if (use->nodes == use->room) {
		use->room = use->room * 2 + 16;
		use->node = xreallocarray(use->node, use->room, sizeof(*use->node));
	}
	use->node[use->nodes++] = (struct anonymous_node){ node, bytes };
}

/* Of the mapping, what lies in the program's own ranges of memory. use: is told who mapped it;
 * NULL: nobody is. */
static uint64_t mapped_in(const struct residency *r, const struct mapping_ranges *ranges,
			  uint64_t start, uint64_t end, struct anonymous_use *use)
{
	uint64_t sum = 0;

	for (size_t i = mapping_ranges_find(ranges, start);
	     i < ranges->count && ranges->range[i].start < end; i++) {
		const struct mapping_range *range = &ranges->range[i];
		uint64_t bytes;

		if (range->flags & (XT_MAPPINGF_FILE | XT_MAPPINGF_SHARED | XT_MAPPINGF_ALLOCATOR))
			continue;
		bytes = resident_of(r, range->start > start ? range->start : start,
				    range->end < end ? range->end : end);
		sum += bytes;
		if (use && bytes)
			add_node(use, range->node, bytes);
	}
	return sum;
}

static uint64_t page_behind(const struct residency_map *map)
{
	const uint64_t end = (map->last_end + XT_PAGE_BYTES - 1) & ~(uint64_t)(XT_PAGE_BYTES - 1);

	return end > map->start ? end : map->start;
}

/* glibc keeps what is free in its heaps; a block elsewhere is a mapping of its own, which the
 * kernel may have joined with others. Of another allocator all is that has a block in it. */
static bool is_allocators(const struct residency *r, enum residency_kind kind)
{
	return kind == RESIDENCY_HEAP || kind == RESIDENCY_ARENA ||
	       (kind == RESIDENCY_BLOCKS && !r->is_glibc);
}

static void add_map(struct anonymous_use *use, const struct residency *r,
		    const struct residency_map *map, const struct mapping_ranges *ranges)
{
	const uint64_t resident = resident_of(r, map->start, map->end);
	const int64_t mapped = (int64_t)mapped_in(r, ranges, map->start, map->end, use);
	const uint64_t behind = page_behind(map);
	int64_t top;

	use->resident += resident;
	use->mapped += mapped;
	if (map->kind == RESIDENCY_OTHER) {
		use->unknown += (int64_t)resident - mapped;
	} else if (is_allocators(r, map->kind)) {
		top = (int64_t)(resident_of(r, behind, map->end) -
				mapped_in(r, ranges, behind, map->end, NULL));
		use->top += top;
		use->free -= mapped + top;
	} else {
		use->unknown -= mapped;
	}
}

static void add_region(struct anonymous_use *use, const struct residency *r,
		       enum residency_kind kind)
{
	const struct residency_region *region = &r->region[kind];

	use->untouched += (int64_t)region->live;
	use->pinned += (int64_t)region->pinned;
	if (is_allocators(r, kind))
		use->free += (int64_t)region->free;
	else
		use->unknown += (int64_t)region->free;
}

static void add_blocks(struct anonymous_use *use, const struct residency *r)
{
	use->blocks = r->blocks;
	for (size_t i = 0; i < r->blocks; i++) {
		const struct residency_block *block = &r->block[i];
		const uint64_t heads = block->addr - block->start;

		use->requested += block->size;
		use->heads += heads;
		use->rounding += block->end - block->start - heads - block->size;
	}
	use->untouched -= (int64_t)(use->requested + use->heads + use->rounding);
}

void anonymous_use_build(struct anonymous_use *use, const struct residency *r,
			 const struct mapping_ranges *ranges)
{
	*use = (struct anonymous_use){ .is_estimated = r->snapshot->head.how != XT_SNAPSHOT_SCAN,
				       .is_outside = r->snapshot->is_outside,
				       .events_during = r->snapshot->outside.events };
	for (size_t i = 0; i < r->maps; i++)
		if (r->map[i].kind <= RESIDENCY_OTHER && !is_elsewhere(r, &r->map[i]))
			add_map(use, r, &r->map[i], ranges);
	for (enum residency_kind kind = 0; kind <= RESIDENCY_BLOCKS; kind++)
		add_region(use, r, kind);
	add_blocks(use, r);
}

bool anonymous_use_is_near(const struct anonymous_use *use, uint64_t peak_bytes)
{
	return use->requested >= peak_bytes - peak_bytes / 20;
}

/* Inlined calls are frames, too. */
static char *name_stack(const struct frame_names *names, const struct stack_tree *tree,
			uint32_t node)
{
	const struct frame_name *name = NULL;
	char *text = xstrdup("");

	for (int i = 0; (node || name) && i < NAMED_FRAMES; i++) {
		char *longer;

		if (!name) {
			name = frame_names_get(names, stack_tree_frame(tree, node));
			node = stack_tree_parent(tree, node);
		}
		longer = xasprintf("%s%s%s", text, i ? " < " : "", name->function);
		free(text);
		text = longer;
		if (!strcmp(name->function, "main"))
			break;
		name = name->outer;
	}
	return text;
}

static int compare_parts(const void *left, const void *right)
{
	const struct anonymous_part *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->stack, b->stack);
}

static int compare_nodes(const void *left, const void *right)
{
	const struct anonymous_node *a = left, *b = right;

	return a->node < b->node ? -1 : a->node > b->node;
}

/* The stacks of a name become one. */
static void add_part(struct anonymous_use *use, char *stack, uint64_t bytes)
{
	for (size_t i = 0; i < use->parts; i++)
		if (!strcmp(use->part[i].stack, stack)) {
			use->part[i].bytes += (int64_t)bytes;
			free(stack);
			return;
		}
	use->part = xreallocarray(use->part, use->parts + 1, sizeof(*use->part));
	use->part[use->parts++] = (struct anonymous_part){ stack, (int64_t)bytes };
}

void anonymous_use_name(struct anonymous_use *use, const struct frame_names *names,
			const struct stack_tree *tree)
{
	if (use->nodes)
		qsort(use->node, use->nodes, sizeof(*use->node), compare_nodes);
	for (size_t i = 0; i < use->nodes;) {
		const uint32_t node = use->node[i].node;
		uint64_t bytes = 0;

		for (; i < use->nodes && use->node[i].node == node; i++)
			bytes += use->node[i].bytes;
		add_part(use, name_stack(names, tree, node), bytes);
	}
	if (use->parts)
		qsort(use->part, use->parts, sizeof(*use->part), compare_parts);
}

void anonymous_use_release(struct anonymous_use *use)
{
	for (size_t i = 0; i < use->parts; i++)
		free(use->part[i].stack);
	free(use->part);
	free(use->node);
	*use = (struct anonymous_use){ .parts = 0 };
}
