/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/residency_maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define ARENA_BYTES (UINT64_C(64) << 20)
#define PAGE ((uint64_t)XT_PAGE_BYTES)

/* Does the line's path begin so? */
static bool is_path(const struct residency_map *map, const char *start)
{
	return !strncmp(map->path, start, strlen(start));
}

/* The end of what the recorder told of addr's range; 0: nothing. */
static uint64_t told_end(const struct residency *r, uint64_t addr, uint32_t what)
{
	for (size_t i = 0; i < r->log->owns; i++)
		if (r->log->own[i].start <= addr && addr < r->log->own[i].end &&
		    r->log->own[i].what == what)
			return r->log->own[i].end;
	return 0;
}

/* Is all of it what the recorder told of: of the trace's file (1), or memory (2)? Of what it has
 * given back since others may have a part. */
static bool is_told(const struct residency *r, const struct residency_map *map, uint32_t what)
{
	uint64_t at = map->start;

	while (at && at < map->end)
		at = told_end(r, at, what);
	return at != 0;
}

static bool is_library(const struct residency_map *map)
{
	static const char name[] = "/libxalloc.so";
	const size_t length = strcspn(map->path, "\n");

	return length >= strlen(name) &&
	       !strncmp(map->path + length - strlen(name), name, strlen(name));
}

static bool is_own(const struct residency *r, const struct residency_map *map)
{
	const struct residency_map *before = map > r->map ? map - 1 : NULL;

	if (*map->path != '\n')
		return is_library(map) || (map->is_shared && is_told(r, map, 1));
	return is_told(r, map, 2) ||
	       (before && before->end == map->start && is_library(before)); /* its bss */
}

/* Where live blocks begin: the first at or behind addr. */
static bool has_block(const struct residency *r, uint64_t start, uint64_t end)
{
	size_t low = 0, high = r->blocks;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (r->block[middle].end > start)
			high = middle;
		else
			low = middle + 1;
	}
	return low < r->blocks && r->block[low].start < end;
}

/* What is behind the used part of an arena is reserved up to its end. */
static bool is_arena(const struct residency_map *map, const struct residency_map *next)
{
	const uint64_t end = (map->start & ~(ARENA_BYTES - 1)) + ARENA_BYTES;

	return !(map->start & (ARENA_BYTES - 1)) &&
	       (map->end == end || (next && next->start == map->end && next->end >= end &&
				    !next->is_readable && *next->path == '\n'));
}

static enum residency_kind kind_of(const struct residency *r, const struct residency_map *map,
				   const struct residency_map *next)
{
	if (is_path(map, "[heap]"))
		return RESIDENCY_HEAP;
	if (is_path(map, "[stack]"))
		return RESIDENCY_STACK;
	if (is_own(r, map))
		return RESIDENCY_OWN;
	if (*map->path != '\n' && !is_path(map, "[anon"))
		return *map->path == '[' ? RESIDENCY_KERNEL : RESIDENCY_FILE;
	if (is_arena(map, next))
		return RESIDENCY_ARENA;
	return has_block(r, map->start, map->end) ? RESIDENCY_BLOCKS : RESIDENCY_OTHER;
}

static bool read_line(const char *line, struct residency_map *map)
{
	char rights[5];
	int path = 0;

	*map = (struct residency_map){ .path = "\n" };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %*u%n", &map->start, &map->end,
		   rights, &path) != 3 ||
	    !path || map->start >= map->end)
		return false;
	map->path = line + path + strspn(line + path, " ");
	map->is_shared = rights[3] == 's';
	map->is_readable = rights[0] == 'r';
	return true;
}

void residency_maps_read(struct residency *r)
{
	size_t room = 0;

	for (const char *line = r->snapshot->maps; *line;) {
		const char *end = strchr(line, '\n');

		if (!end) /* cut */
			break;
		if (r->maps == room) {
			room = room * 2 + 64;
			r->map = xreallocarray(r->map, room, sizeof(*r->map));
		}
		if (read_line(line, &r->map[r->maps]) &&
		    (!r->maps || r->map[r->maps - 1].end <= r->map[r->maps].start))
			r->maps++;
		line = end + 1;
	}
	for (size_t i = 0; i < r->maps; i++)
		r->map[i].kind = kind_of(r, &r->map[i], i + 1 < r->maps ? &r->map[i + 1] : NULL);
}

struct residency_map *residency_maps_find(struct residency *r, uint64_t addr)
{
	size_t low = 0, high = r->maps;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (r->map[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low < r->maps && r->map[low].start <= addr ? &r->map[low] : NULL;
}

void residency_maps_sum(struct residency *r)
{
	for (size_t i = 0; i < r->maps; i++) {
		const struct residency_map *map = &r->map[i];
		struct residency_region *to = &r->region[map->kind];
		struct residency_sum sum = { .blocks = 0 }, top = { .blocks = 0 };
		const uint64_t last = (map->last_end + PAGE - 1) & ~(PAGE - 1);

		residency_measure(r->snapshot, map->start, map->end, &sum);
		to->mappings++;
		to->size += map->end - map->start;
		to->resident += sum.resident;
		to->zero += sum.zero;
		to->swapped += sum.swapped;
		to->huge += sum.huge;
		if (map->kind > RESIDENCY_BLOCKS)
			continue;
		to->free += sum.resident;
		if (last < map->end)
			residency_measure(r->snapshot, last > map->start ? last : map->start,
					  map->end, &top);
		to->top += top.resident;
	}
	for (int kind = 0; kind <= RESIDENCY_BLOCKS; kind++) {
		struct residency_region *region = &r->region[kind];
		const uint64_t used = region->live + region->pinned;

		region->free = region->free > used ? region->free - used : 0;
	}
}
